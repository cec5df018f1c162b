//! `dropIndexes`.

use crate::bson::{RawDoc, Type, Value, compare_docs};
use crate::catalog::{self, Collection, Namespace, garbage};
use crate::command::drop::free_some;
use crate::command::fields::{self, Field, Fields, Kind};
use crate::command::running::{Access, Context, Progress, Running, Saved};
use crate::command::{Request, ok_reply};
use crate::error::{Code, Error, Result};
use crate::query::show;
use crate::step::Step;
use crate::store::Durability;
use std::cmp::Ordering;

/// Which indexes go.
enum Which {
    All,
    Names(Vec<String>),
    Key(Vec<u8>),
}

struct DropIndexes {
    namespace: Namespace,
    which: Which,
    durability: Durability,
    /// The reply, once the indexes are out of the catalog.
    reply: Option<Vec<u8>>,
}

/// Parses `dropIndexes`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    const FIELDS: &[Field] =
        &[Field::optional("dropIndexes", Kind::Any), Field::optional("index", Kind::Any)];
    Fields::of_command("dropIndexes", request.doc, FIELDS)?;
    let namespace = request.namespace()?;
    let which = match request.doc.get("index") {
        None => return Err(fields::missing("dropIndexes", "index")),
        Some(Value::String(name)) => one_name(name.as_str()),
        Some(Value::Document(key)) => Which::Key(key.as_bytes().to_vec()),
        Some(Value::Array(names)) => {
            if names.iter().any(|name| name.kind() != Type::String) {
                return Err(wrong_index("array", "'[string']"));
            }
            let names: Vec<String> =
                names.iter().filter_map(|name| name.as_str().map(str::to_string)).collect();
            match names.as_slice() {
                [only] => one_name(only),
                _ => Which::Names(names),
            }
        }
        Some(other) => return Err(wrong_index(other.kind().alias(), "'[string, object']")),
    };
    Ok(Box::new(DropIndexes { namespace, which, durability: request.durability(), reply: None }))
}

fn wrong_index(found: &str, expected: &str) -> Error {
    let message =
        format!("BSON field 'dropIndexes.index' is the wrong type '{found}', expected types {expected}");
    Error::new(Code::TypeMismatch, message)
}

fn one_name(name: &str) -> Which {
    if name == "*" { Which::All } else { Which::Names(vec![name.to_string()]) }
}

impl Which {
    /// The places of the indexes in the collection, ascending.
    fn places(&self, collection: &Collection) -> Result<Vec<usize>> {
        let mut places = Vec::new();
        match self {
            Which::All => places.extend(1..collection.indexes.len()),
            Which::Names(names) => {
                for name in names {
                    let place = collection.indexes.iter().position(|index| index.name == *name);
                    match place.filter(|place| !places.contains(place)) {
                        Some(place) => places.push(place),
                        None => {
                            let message = format!("index not found with name [{name}]");
                            return Err(Error::new(Code::IndexNotFound, message));
                        }
                    }
                }
            }
            Which::Key(key) => {
                let key = RawDoc::from_validated(key);
                let same = |pattern: RawDoc<'_>| compare_docs(pattern, key) == Ordering::Equal;
                let found: Vec<usize> = (0..collection.indexes.len())
                    .filter(|place| same(collection.indexes[*place].key_pattern()))
                    .collect();
                match found.as_slice() {
                    [] => {
                        let message = format!("can't find index with key: {}", show::document(key));
                        return Err(Error::new(Code::IndexNotFound, message));
                    }
                    [only] => places.push(*only),
                    _ => {
                        let message = format!(
                            "{} indexes found for key: {}, identify by name instead.",
                            found.len(),
                            show::document(key)
                        );
                        return Err(Error::new(Code::location(283), message));
                    }
                }
            }
        }
        if places.contains(&0) {
            return Err(Error::new(Code::InvalidOptions, "cannot drop _id index"));
        }
        crate::sorted::sort(&mut places);
        Ok(places)
    }
}

impl Running for DropIndexes {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if let Some(reply) = &self.reply {
            return Ok(if free_some(cx)? { Progress::More } else { Progress::Reply(reply.clone()) });
        }
        let Some(collection) = cx.collection_for_write(&self.namespace)? else {
            let message = format!("ns not found {}", self.namespace.full());
            return Err(Error::new(Code::NamespaceNotFound, message).into());
        };
        let places = self.which.places(&collection)?;
        let mut changed = (*collection).clone();
        for place in places.iter().rev() {
            changed.indexes.remove(*place);
        }
        let mut view = cx.writer();
        garbage::locate_end(&view)?;
        catalog::put(&mut view, &changed)?;
        for place in &places {
            garbage::discard(&mut view, collection.indexes[*place].tree)?;
        }
        let count = collection.indexes.len() as i32;
        let all = matches!(self.which, Which::All);
        self.reply = Some(ok_reply(|doc| {
            doc.push("nIndexesWas", count);
            if all {
                doc.push("msg", "non-_id indexes dropped for collection");
            }
        }));
        Ok(Progress::More)
    }

    fn save(&self) -> Saved {
        Box::new(self.reply.clone())
    }

    fn restore(&mut self, saved: &Saved) {
        if let Some(reply) = saved.downcast_ref::<Option<Vec<u8>>>() {
            self.reply = reply.clone();
        }
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
