//! `drop` and `dropDatabase`, and the freeing of what they leave.

use super::fields::{Field, Fields, Kind};
use super::running::{Access, Context, Progress, Running, Saved};
use super::{Request, ok_reply};
use crate::bson::Value;
use crate::catalog::{self, Namespace, garbage};
use crate::error::{Code, Error, Result};
use crate::step::Step;
use crate::store::Durability;

/// A dropped tree is freed so many pages a step.
const FREED_PAGES_A_STEP: usize = 256;

struct Drop {
    namespace: Namespace,
    durability: Durability,
    dropped: Option<Dropped>,
}

#[derive(Clone)]
struct Dropped {
    index_count: i32,
}

/// Parses `drop`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    const FIELDS: &[Field] = &[Field::optional("drop", Kind::Any)];
    Fields::of_command("drop", request.doc, FIELDS)?;
    Ok(Box::new(Drop { namespace: request.namespace()?, durability: request.durability(), dropped: None }))
}

impl Running for Drop {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        let Some(dropped) = &self.dropped else {
            let Some(collection) = cx.collection_for_write(&self.namespace)? else {
                return Err(Error::new(Code::NamespaceNotFound, "ns not found").into());
            };
            catalog::remove(&mut cx.writer(), &collection)?;
            self.dropped = Some(Dropped { index_count: collection.indexes.len() as i32 });
            return Ok(Progress::More);
        };
        if free_some(cx)? {
            return Ok(Progress::More);
        }
        let (index_count, name) = (dropped.index_count, self.namespace.full());
        Ok(Progress::Reply(ok_reply(|doc| {
            doc.push("nIndexesWas", index_count).push("ns", name.as_str());
        })))
    }

    fn save(&self) -> Saved {
        Box::new(self.dropped.clone())
    }

    fn restore(&mut self, saved: &Saved) {
        if let Some(dropped) = saved.downcast_ref::<Option<Dropped>>() {
            self.dropped = dropped.clone();
        }
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}

/// Frees some pages of trees that nothing refers to. Gives whether there may be more. Changes nothing when it stops.
pub fn free_some(cx: &mut Context<'_>) -> Step<bool> {
    let now_ms = cx.host.now_ms();
    let roots = cx.pager.roots_mut().catalog;
    let mut view = cx.writer();
    let Some(due) = garbage::first_due(&view, roots, now_ms)? else { return Ok(false) };
    // The walk to the entry comes first, so that taking it out cannot be followed by a stop.
    garbage::locate(&view, due.tree.id)?;
    if due.tree.free_some(&mut view, FREED_PAGES_A_STEP)? {
        garbage::take(&mut view, due.tree.id)?;
    }
    Ok(true)
}

struct Sweep;

/// Frees the trees that earlier engines dropped, or began and never finished.
pub fn sweep() -> Box<dyn Running> {
    Box::new(Sweep)
}

impl Running for Sweep {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        Ok(if free_some(cx)? { Progress::More } else { Progress::Reply(Vec::new()) })
    }
}

struct DropDatabase {
    database: String,
    durability: Durability,
    dropped: bool,
}

/// Parses `dropDatabase`.
pub fn parse_database(request: &Request<'_>) -> Result<Box<dyn Running>> {
    catalog::check_database(request.database)?;
    let argument = request.argument();
    if !argument.is_number() {
        return Err(super::fields::wrong_type("dropDatabase.dropDatabase", &argument, Kind::Integer));
    }
    Fields::of_command("dropDatabase", request.doc, &[])?;
    if crate::bson::compare(&argument, &Value::Int32(1)) != std::cmp::Ordering::Equal {
        return Err(Error::new(Code::location(5_255_100), "Have to pass 1 as 'drop' parameter"));
    }
    Ok(Box::new(DropDatabase {
        database: request.database.to_string(),
        durability: request.durability(),
        dropped: false,
    }))
}

impl Running for DropDatabase {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if !self.dropped {
            let roots = cx.pager.roots_mut().catalog;
            let names = catalog::names_after(&cx.writer(), roots, Some(&self.database), None, 1)?;
            let Some(namespace) = names.first() else {
                self.dropped = true;
                return Ok(Progress::More);
            };
            if let Some(collection) = cx.collection_for_write(namespace)? {
                catalog::remove(&mut cx.writer(), &collection)?;
            }
            return Ok(Progress::More);
        }
        if free_some(cx)? {
            return Ok(Progress::More);
        }
        Ok(Progress::Reply(ok_reply(|_| {})))
    }

    fn save(&self) -> Saved {
        Box::new(self.dropped)
    }

    fn restore(&mut self, saved: &Saved) {
        if let Some(dropped) = saved.downcast_ref::<bool>() {
            self.dropped = *dropped;
        }
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
