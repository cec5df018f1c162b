//! A collection's entry: its id, options, records and indexes, as BSON.

use super::Namespace;
use crate::bson::order::Direction;
use crate::bson::path::{MultikeyPaths, Path};
use crate::bson::{Decimal128, DocBuilder, RawDoc, Value};
use crate::btree::Tree;
use crate::pager::{PageId, TreeId};

/// A collection.
#[derive(Clone, Debug)]
pub struct Collection {
    pub namespace: Namespace,
    pub uuid: [u8; 16],
    /// The options of `create`, as `listCollections` shows them: one document.
    pub options: Vec<u8>,
    /// Record id (8 bytes, big-endian) to document.
    pub records: Tree,
    /// The `_id` index first.
    pub indexes: Vec<Index>,
}

/// A complete index.
#[derive(Clone, Debug)]
pub struct Index {
    pub name: String,
    /// As `listIndexes` shows it: `{v, key, name, …}`.
    pub spec: Vec<u8>,
    pub fields: Vec<IndexField>,
    /// The fields' paths, for key extraction.
    pub paths: Vec<Path>,
    pub unique: bool,
    pub tree: Tree,
    /// The arrays that documents had on the way of the fields.
    pub multikey: MultikeyPaths,
}

/// One field of an index.
#[derive(Clone, Debug)]
pub struct IndexField {
    pub name: String,
    pub direction: Direction,
}

impl Collection {
    /// All trees of the collection.
    pub fn trees(&self) -> impl Iterator<Item = Tree> + '_ {
        std::iter::once(self.records).chain(self.indexes.iter().map(|index| index.tree))
    }

    /// The index of a name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut doc = DocBuilder::new();
        doc.push("ns", self.namespace.full().as_str())
            .push("uuid", Value::Binary { subtype: 4, bytes: &self.uuid })
            .push("options", RawDoc::from_validated(&self.options))
            .document("records", |d| push_tree(d, self.records))
            .array("indexes", |a| {
                for index in &self.indexes {
                    a.document(|d| index.push(d));
                }
            });
        doc.finish()
    }

    /// Reads the stored form; `None` where it is not one.
    pub fn decode(namespace: Namespace, bytes: &[u8]) -> Option<Collection> {
        let doc = RawDoc::from_validated(bytes);
        let Value::Binary { bytes: uuid, .. } = doc.get("uuid")? else { return None };
        let indexes = doc.get("indexes")?.as_array()?.iter();
        Some(Collection {
            namespace,
            uuid: uuid.try_into().ok()?,
            options: doc.get("options")?.as_document()?.as_bytes().to_vec(),
            records: read_tree(doc.get("records")?.as_document()?)?,
            indexes: indexes.map(|index| Index::read(index.as_document()?)).collect::<Option<_>>()?,
        })
    }
}

impl Index {
    /// A new index of a spec as `listIndexes` shows it; `None` if the spec is not one.
    pub fn new(spec: Vec<u8>, tree: Tree) -> Option<Index> {
        let doc = RawDoc::from_validated(&spec);
        let mut fields = Vec::new();
        for element in doc.get("key")?.as_document()?.iter() {
            let descending = match element.value {
                Value::Int32(v) => v < 0,
                Value::Int64(v) => v < 0,
                Value::Double(v) => v < 0.0,
                Value::Decimal128(bytes) => Decimal128::from_bytes(bytes).is_negative(),
                _ => return None,
            };
            let direction = if descending { Direction::Descending } else { Direction::Ascending };
            fields.push(IndexField { name: element.name.as_str().to_string(), direction });
        }
        let name = doc.get("name")?.as_str()?.to_string();
        let unique = name == "_id_" || matches!(doc.get("unique"), Some(Value::Bool(true)));
        let paths = fields.iter().map(|field| Path::parse(&field.name)).collect();
        Some(Index { name, fields, paths, unique, tree, multikey: MultikeyPaths::new(), spec })
    }

    /// The key pattern, as `{a: 1, b: -1}`.
    pub fn key_pattern(&self) -> RawDoc<'_> {
        let key = RawDoc::from_validated(&self.spec).get("key").and_then(|key| key.as_document());
        key.unwrap_or(crate::bson::raw::EMPTY_DOCUMENT)
    }

    /// Whether it is the index on `_id`.
    pub fn is_id(&self) -> bool {
        self.name == "_id_"
    }

    fn push(&self, doc: &mut DocBuilder) {
        doc.push("spec", RawDoc::from_validated(&self.spec));
        doc.document("tree", |d| push_tree(d, self.tree));
        doc.array("multikey", |a| {
            for position in 0..self.fields.len() {
                a.array(|parts| {
                    for part in self.multikey.parts_of(position) {
                        parts.push(i32::from(*part));
                    }
                });
            }
        });
    }

    fn read(doc: RawDoc<'_>) -> Option<Index> {
        let spec = doc.get("spec")?.as_document()?.as_bytes().to_vec();
        let mut index = Index::new(spec, read_tree(doc.get("tree")?.as_document()?)?)?;
        for (position, parts) in doc.get("multikey")?.as_array()?.iter().enumerate() {
            for part in parts.as_array()?.iter() {
                let Value::Int32(part) = part else { return None };
                index.multikey.insert(position, u16::try_from(part).ok()?);
            }
        }
        Some(index)
    }
}

fn push_tree(doc: &mut DocBuilder, tree: Tree) {
    doc.push("id", tree.id.0 as i64).push("root", tree.root.0 as i64);
}

fn read_tree(doc: RawDoc<'_>) -> Option<Tree> {
    match (doc.get("id")?, doc.get("root")?) {
        (Value::Int64(id), Value::Int64(root)) => {
            Some(Tree { id: TreeId(id as u64), root: PageId(root as u64) })
        }
        _ => None,
    }
}
