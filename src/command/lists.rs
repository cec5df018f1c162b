//! `listCollections`, `listDatabases`, `listIndexes`.

use super::fields::{Field, Fields, Kind};
use super::running::{Access, Context, Progress, Running};
use super::{Request, ok_reply};
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::catalog::{self, Collection, Namespace};
use crate::error::{Code, Error, Result};
use crate::exec::OpenCursor;
use crate::query::Filter;
use crate::records;
use crate::step::Step;

/// How many catalog entries one step looks at.
const ENTRIES_A_STEP: usize = 64;

/// `cursor: {batchSize}` of a listing; `None` for the default, which is everything that fits in a reply.
///
/// # Errors
/// 14, 51024.
fn batch_size(fields: &Fields<'_>, command: &str) -> Result<Option<usize>> {
    let Some(cursor) = fields.document("cursor") else { return Ok(None) };
    const CURSOR_FIELDS: &[Field] = &[Field::optional("batchSize", Kind::Integer)];
    let cursor = Fields::of_document(&format!("{command}.cursor"), cursor, CURSOR_FIELDS)?;
    match cursor.integer("batchSize") {
        Some(size) if size < 0 => {
            let message = format!("BSON field 'batchSize' value must be >= 0, actual value '{size}'");
            Err(Error::new(Code::location(51024), message))
        }
        size => Ok(size.and_then(|size| usize::try_from(size).ok())),
    }
}

/// The first batch of a listing; what does not fit stays behind a cursor.
fn listing_reply(
    cx: &mut Context<'_>,
    namespace: Namespace,
    mut documents: Vec<Vec<u8>>,
    batch_size: Option<usize>,
) -> Vec<u8> {
    let fitting = fitting_in_a_reply(&documents).min(batch_size.unwrap_or(usize::MAX));
    let rest = documents.split_off(fitting);
    let full = namespace.full();
    let id = if rest.is_empty() {
        0
    } else {
        cx.cursors.open(OpenCursor::of_documents(namespace, rest), cx.host).0
    };
    ok_reply(|doc| {
        doc.document("cursor", |cursor| {
            cursor.push("id", id).push("ns", full.as_str()).array("firstBatch", |list| {
                for document in &documents {
                    list.push(RawDoc::from_validated(document));
                }
            });
        });
    })
}

fn fitting_in_a_reply(documents: &[Vec<u8>]) -> usize {
    let mut bytes = 0;
    documents
        .iter()
        .take_while(|document| {
            bytes += document.len() + 16;
            bytes <= super::DOCUMENT_BYTES_MAX
        })
        .count()
}

struct ListCollections {
    database: String,
    filter: Filter,
    name_only: bool,
    batch_size: Option<usize>,
    last: Option<Namespace>,
    documents: Vec<Vec<u8>>,
}

/// Parses `listCollections`.
pub fn parse_collections(request: &Request<'_>) -> Result<Box<dyn Running>> {
    const FIELDS: &[Field] = &[
        Field::optional("filter", Kind::Document),
        Field::optional("nameOnly", Kind::Bool),
        Field::optional("authorizedCollections", Kind::Bool),
        Field::optional("cursor", Kind::Document),
    ];
    let fields = Fields::of_command("listCollections", request.doc, FIELDS)?;
    catalog::check_database(request.database)?;
    Ok(Box::new(ListCollections {
        database: request.database.to_string(),
        filter: fields.document("filter").map_or_else(|| Ok(Filter::all()), Filter::parse)?,
        name_only: fields.bool_or("nameOnly", false),
        batch_size: batch_size(&fields, "listCollections")?,
        last: None,
        documents: Vec::new(),
    }))
}

impl ListCollections {
    fn entry(&self, collection: &Collection) -> Vec<u8> {
        let mut doc = DocBuilder::new();
        doc.push("name", collection.namespace.collection.as_str()).push("type", "collection");
        if self.name_only {
            return doc.finish();
        }
        doc.push("options", RawDoc::from_validated(&collection.options));
        doc.document("info", |info| {
            info.push("readOnly", false).push("uuid", Value::Binary { subtype: 4, bytes: &collection.uuid });
        });
        if let Some(id_index) = collection.indexes.first() {
            doc.push("idIndex", RawDoc::from_validated(&id_index.spec));
        }
        doc.finish()
    }
}

impl Running for ListCollections {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        let roots = cx.pager.roots().catalog;
        let database = Some(self.database.as_str());
        let names =
            catalog::names_after(&cx.pager.reader(), roots, database, self.last.as_ref(), ENTRIES_A_STEP)?;
        if names.is_empty() {
            let namespace =
                Namespace { database: self.database.clone(), collection: "$cmd.listCollections".to_string() };
            let documents = std::mem::take(&mut self.documents);
            return Ok(Progress::Reply(listing_reply(cx, namespace, documents, self.batch_size)));
        }
        let mut found = Vec::new();
        for name in &names {
            if let Some(collection) = cx.collection(name)? {
                let entry = self.entry(&collection);
                if self.filter.matches(RawDoc::from_validated(&entry)) {
                    found.push(entry);
                }
            }
        }
        self.documents.append(&mut found);
        self.last = names.last().cloned();
        Ok(Progress::More)
    }
}

struct ListIndexes {
    namespace: Namespace,
    batch_size: Option<usize>,
}

/// Parses `listIndexes`.
pub fn parse_indexes(request: &Request<'_>) -> Result<Box<dyn Running>> {
    const FIELDS: &[Field] =
        &[Field::optional("listIndexes", Kind::Any), Field::optional("cursor", Kind::Document)];
    let fields = Fields::of_command("listIndexes", request.doc, FIELDS)?;
    Ok(Box::new(ListIndexes {
        namespace: request.namespace()?,
        batch_size: batch_size(&fields, "listIndexes")?,
    }))
}

impl Running for ListIndexes {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        let Some(collection) = cx.collection(&self.namespace)? else {
            let message = format!("ns does not exist: {}", self.namespace.full());
            return Err(Error::new(Code::NamespaceNotFound, message).into());
        };
        let documents = collection.indexes.iter().map(|index| index.spec.clone()).collect();
        Ok(Progress::Reply(listing_reply(cx, self.namespace.clone(), documents, self.batch_size)))
    }
}

struct ListDatabases {
    filter: Option<Filter>,
    name_only: bool,
    /// Names, once they were read.
    names: Option<Vec<String>>,
    documents: Vec<Vec<u8>>,
    bytes: i64,
    /// The database whose sizes are being added up.
    size: i64,
    last: Option<Namespace>,
}

/// Parses `listDatabases`.
pub fn parse_databases(request: &Request<'_>) -> Result<Box<dyn Running>> {
    const FIELDS: &[Field] = &[
        Field::optional("filter", Kind::Document),
        Field::optional("nameOnly", Kind::BoolOrNumber),
        Field::optional("authorizedDatabases", Kind::Bool),
    ];
    if request.database != "admin" {
        let message = "listDatabases may only be run against the admin database.";
        return Err(Error::new(Code::Unauthorized, message));
    }
    let fields = Fields::of_command("listDatabases", request.doc, FIELDS)?;
    Ok(Box::new(ListDatabases {
        filter: fields.document("filter").map(Filter::parse).transpose()?,
        name_only: fields.bool_or("nameOnly", false),
        names: None,
        documents: Vec::new(),
        bytes: 0,
        size: 0,
        last: None,
    }))
}

impl ListDatabases {
    /// Adds up the trees of the next collections of a database. Gives whether there were any.
    fn measure(&mut self, cx: &mut Context<'_>, database: &str) -> Step<bool> {
        let roots = cx.pager.roots().catalog;
        let names = catalog::names_after(&cx.pager.reader(), roots, Some(database), self.last.as_ref(), 1)?;
        let Some(name) = names.into_iter().next() else { return Ok(false) };
        let mut bytes = 0;
        if let Some(collection) = cx.collection(&name)? {
            bytes = records::bytes(&cx.pager.reader(), &collection)? as i64;
        }
        self.size += bytes;
        self.last = Some(name);
        Ok(true)
    }

    fn finish_database(&mut self, name: &str) {
        let (size, _) = (std::mem::take(&mut self.size), self.last.take());
        let mut doc = DocBuilder::new();
        doc.push("name", name);
        if !self.name_only {
            doc.push("sizeOnDisk", size).push("empty", false);
        }
        let doc = doc.finish();
        if self.filter.as_ref().is_none_or(|filter| filter.matches(RawDoc::from_validated(&doc))) {
            self.bytes += size;
            self.documents.push(doc);
        }
    }
}

impl Running for ListDatabases {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if self.names.is_none() {
            let roots = cx.pager.roots().catalog;
            let mut names = catalog::databases(&cx.pager.reader(), roots)?;
            names.reverse();
            self.names = Some(names);
        }
        let next = self.names.as_ref().and_then(|names| names.last().cloned());
        if let Some(name) = next {
            if self.name_only || !self.measure(cx, &name)? {
                self.finish_database(&name);
                if let Some(names) = &mut self.names {
                    names.pop();
                }
            }
            return Ok(Progress::More);
        }
        let documents = std::mem::take(&mut self.documents);
        let bytes = self.bytes;
        let name_only = self.name_only;
        Ok(Progress::Reply(ok_reply(|doc| {
            doc.array("databases", |list| {
                for document in &documents {
                    list.push(RawDoc::from_validated(document));
                }
            });
            if !name_only {
                doc.push("totalSize", bytes).push("totalSizeMb", bytes >> 20);
            }
        })))
    }
}
