//! What the writing commands share: batches of operations, write errors, collections made on the way.

use crate::bson::path::{KeyError, extract_keys};
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::btree::Tree;
use crate::catalog::{self, Collection, Index, Namespace};
use crate::command::running::Context;
use crate::error::{Code, Error, Result};
use crate::query::show;
use crate::records::Duplicate;
use crate::step::Step;
use std::rc::Rc;

/// An error of one operation of a batch.
#[derive(Clone, Debug)]
pub struct WriteError {
    /// The operation's place in the batch.
    pub index: usize,
    pub error: Error,
}

/// Adds `writeErrors`, if there are any.
pub fn push_write_errors(reply: &mut DocBuilder, errors: &[WriteError]) {
    if errors.is_empty() {
        return;
    }
    reply.array("writeErrors", |list| {
        for WriteError { index, error } in errors {
            list.document(|doc| {
                doc.push("index", *index as i32).push("code", error.code.0);
                doc.push("errmsg", error.message.as_str());
                if let Some(details) = &error.details {
                    for element in RawDoc::from_validated(details).iter() {
                        doc.push(element.name, element.value);
                    }
                }
            });
        }
    });
}

/// That a list which a driver may send as a section of its own is not null, which such a section cannot be.
///
/// # Errors
/// 10065.
pub fn check_is_list(doc: RawDoc<'_>, name: &str) -> Result<()> {
    match doc.get(name) {
        Some(Value::Null | Value::Undefined) => {
            let message = format!("invalid parameter: expected an object ({name})");
            Err(Error::new(Code::location(10065), message))
        }
        _ => Ok(()),
    }
}

/// That a batch has at least one and not too many operations.
///
/// # Errors
/// 16 `InvalidLength`.
pub fn check_batch_size(count: usize) -> Result<()> {
    let max = super::BATCH_OPERATIONS_MAX;
    if count == 0 || count > max {
        let message = format!("Write batch sizes must be between 1 and {max}. Got {count} operations.");
        return Err(Error::new(Code::InvalidLength, message));
    }
    Ok(())
}

/// 11000 for a key that a unique index has already, with the values that `doc` has under it.
pub fn duplicate_key(collection: &Collection, duplicate: &Duplicate, doc: RawDoc<'_>) -> Error {
    let index = &collection.indexes[duplicate.index];
    duplicate_key_of(&collection.namespace, index, &duplicate.key, doc)
}

/// 11000 for a key in an index that may not be in its collection yet.
pub fn duplicate_key_of(namespace: &Namespace, index: &Index, key: &[u8], doc: RawDoc<'_>) -> Error {
    let mut values = DocBuilder::new();
    let mut found = false;
    let mut multikey = crate::bson::path::MultikeyPaths::new();
    // The document had this key a moment ago, so there is no error here.
    let _ = extract_keys(doc, &index.paths, &mut multikey, &mut |tuple| {
        if !found && crate::records::encode_key(index, tuple) == key {
            found = true;
            for (value, field) in tuple.iter().zip(&index.fields) {
                values.push(&field.name, value.unwrap_or(Value::Null));
            }
        }
    });
    let values = values.finish();
    let values = RawDoc::from_validated(&values);
    let message = format!(
        "E11000 duplicate key error collection: {} index: {} dup key: {}",
        namespace.full(),
        index.name,
        show::document(values)
    );
    let mut details = DocBuilder::new();
    details.push("keyPattern", index.key_pattern()).push("keyValue", values);
    Error::new(Code::DuplicateKey, message).with_details(details)
}

/// The error of a document that has no keys in an index.
pub fn key_error(error: &KeyError) -> Error {
    match error {
        KeyError::ParallelArrays { second, first } => {
            let message = format!("cannot index parallel arrays [{second}] [{first}]");
            Error::new(Code::CannotIndexParallelArrays, message)
        }
        KeyError::AmbiguousPosition { field, array } => {
            let message = format!(
                "Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), \
                 field: '{field}' for array: {array}"
            );
            Error::new(Code::location(16746), message)
        }
    }
}

/// The collection, made with its `_id` index if it is not there. Changes nothing when it stops.
///
/// # Errors
/// 73 for a name that no collection may have, 13297 for a database that differs only in case.
pub fn ensure_collection(cx: &mut Context<'_>, namespace: &Namespace) -> Step<Rc<Collection>> {
    match cx.collection_for_write(namespace)? {
        Some(collection) => Ok(collection),
        None => create_collection(cx, namespace, crate::bson::raw::EMPTY_DOCUMENT.as_bytes().to_vec()),
    }
}

/// A new collection with its `_id` index. Changes nothing when it stops.
///
/// # Errors
/// As [`ensure_collection`].
pub fn create_collection(
    cx: &mut Context<'_>,
    namespace: &Namespace,
    options: Vec<u8>,
) -> Step<Rc<Collection>> {
    namespace.check_creatable()?;
    check_database_case(cx, namespace)?;
    // A walk to the entry's place first, so that making the trees below is not followed by a stop.
    catalog::locate(&cx.writer(), namespace)?;
    let mut uuid = [0; 16];
    cx.host.random(&mut uuid);
    uuid[6] = uuid[6] & 0x0F | 0x40;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    let mut view = cx.writer();
    let mut new_tree = || {
        let id = view.allocate_tree();
        Tree::create(&mut view, id)
    };
    let records = new_tree();
    let id_tree = new_tree();
    let mut spec = DocBuilder::new();
    spec.push("v", 2)
        .document("key", |key| {
            key.push("_id", 1);
        })
        .push("name", "_id_");
    let Some(id_index) = Index::new(spec.finish(), id_tree) else {
        unreachable!("the spec of the _id index is one");
    };
    let collection =
        Collection { namespace: namespace.clone(), uuid, options, records, indexes: vec![id_index] };
    catalog::put(&mut view, &collection)?;
    Ok(Rc::new(collection))
}

/// MongoDB refuses a database whose name differs from another's only in case.
fn check_database_case(cx: &mut Context<'_>, namespace: &Namespace) -> Step<()> {
    let roots = cx.pager.roots_mut().catalog;
    let view = cx.writer();
    let wanted = &namespace.database;
    if !catalog::names_after(&view, roots, Some(wanted), None, 1)?.is_empty() {
        return Ok(());
    }
    for known in catalog::databases(&view, roots)? {
        if known.eq_ignore_ascii_case(wanted) {
            let message = format!(
                "db already exists with different case already have: [{known}] trying to create [{wanted}]"
            );
            return Err(Error::new(Code::DatabaseDifferCase, message).into());
        }
    }
    Ok(())
}
