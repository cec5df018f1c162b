//! An index specification: its checks, and the form in which it is stored and listed.

use crate::bson::{DocBuilder, RawDoc, Value, compare_docs};
use crate::catalog::Index;
use crate::command::fields::{Kind, integer, wrong_type};
use crate::error::{Code, Error, Result};
use crate::query::show;
use std::cmp::Ordering;

/// The most fields of a compound index.
const FIELDS_MAX: usize = 32;

/// What makes an index another one than an index with the same key; kinds not built yet.
const NOT_YET: &[&str] = &[
    "partialFilterExpression",
    "expireAfterSeconds",
    "wildcardProjection",
    "weights",
    "default_language",
    "language_override",
    "textIndexVersion",
    "2dsphereIndexVersion",
    "bits",
    "min",
    "max",
    "bucketSize",
    "storageEngine",
    "prepareUnique",
    "clustered",
];

/// Options that are built, or accepted and without effect.
const OPTIONS: &[&str] =
    &["key", "name", "ns", "v", "unique", "sparse", "background", "hidden", "dropDups", "collation"];

/// The kinds of indexes that MongoDB has beside ascending and descending.
const PLUGINS: &[&str] = &["text", "2d", "2dsphere", "2dsphere_bucket", "hashed", "geoHaystack"];

/// A checked specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// As stored and listed: `v`, `key`, `name`, then the options as given.
    pub bytes: Vec<u8>,
    pub name: String,
    pub is_id: bool,
    unique: bool,
}

impl Spec {
    /// Checks one element of `createIndexes.indexes`.
    ///
    /// # Errors
    /// 9, 14, 67, 197, 2 by what is wrong; 238 for kinds and options that are not built yet.
    pub fn parse(doc: RawDoc<'_>, ignores_unknown: bool) -> Result<Spec> {
        let fail = |mut error: Error| {
            error.message =
                format!("Error in specification {} :: caused by :: {}", show::document(doc), error.message);
            error
        };
        let key = parse_key(doc).map_err(fail)?;
        let name = parse_name(doc).map_err(fail)?;
        for element in doc.iter() {
            if !ignores_unknown || is_known(element.name.as_str()) {
                check_option(doc, element.name.as_str(), &element.value).map_err(fail)?;
            }
        }
        let is_id_key = compare_docs(key, id_key().as_doc()) == Ordering::Equal;
        check_id_index(doc, key, &name, is_id_key)?;
        if key.iter().any(|element| element.name == "$**" || element.name.as_str().ends_with(".$**")) {
            return Err(Error::not_implemented("a wildcard index"));
        }
        if let Some(kind) = key.iter().find_map(|element| element.value.as_str()) {
            return Err(Error::not_implemented(format!("an index of kind {kind}")));
        }
        let unique = doc.get("unique").is_some_and(|value| is_true(&value));
        let mut bytes = DocBuilder::new();
        bytes.push("v", 2).push("key", key).push("name", name.as_str());
        for element in doc.iter() {
            match element.name.as_str() {
                "key" | "name" | "v" | "ns" | "dropDups" | "hidden" => {}
                "unique" if !unique => {}
                "unique" => {
                    bytes.push("unique", true);
                }
                "collation" => {}
                other if !is_known(other) => {}
                other => {
                    bytes.push(other, element.value);
                }
            }
        }
        Ok(Spec { bytes: bytes.finish(), is_id: is_id_key, name, unique })
    }

    /// The key pattern.
    pub fn key(&self) -> RawDoc<'_> {
        let key = RawDoc::from_validated(&self.bytes).get("key").and_then(|key| key.as_document());
        key.unwrap_or(crate::bson::raw::EMPTY_DOCUMENT)
    }

    /// Whether the collection has this index already.
    ///
    /// # Errors
    /// 85 where it has it under another name, 86 where it has another of this name.
    pub fn is_in(&self, indexes: &[Index]) -> Result<bool> {
        for index in indexes {
            let same_key = compare_docs(index.key_pattern(), self.key()) == Ordering::Equal;
            if self.is_id && index.is_id() {
                return Ok(true);
            }
            let same = same_key && index.unique == self.unique;
            if same && index.name == self.name {
                return Ok(true);
            }
            if index.name == self.name {
                let message = format!(
                    "An existing index has the same name as the requested index. When index names are not specified, they \
                     are auto generated and can cause conflicts. Please refer to our documentation. Requested index: {}, \
                     existing index: {}",
                    show::document(RawDoc::from_validated(&self.bytes)),
                    show::document(RawDoc::from_validated(&index.spec))
                );
                return Err(Error::new(Code::IndexKeySpecsConflict, message));
            }
            if same {
                let message = format!("Index already exists with a different name: {}", index.name);
                return Err(Error::new(Code::IndexOptionsConflict, message));
            }
        }
        Ok(false)
    }

    /// Whether two specifications of one command are the same index.
    pub fn is_identical(&self, other: &Spec) -> bool {
        self.bytes == other.bytes
    }

    /// As [`Spec::is_in`], against another specification of the same command.
    ///
    /// # Errors
    /// 85, 86.
    pub fn conflicts_with(&self, other: &Spec) -> Result<()> {
        if self.name == other.name {
            let message =
                format!("An existing index has the same name as the requested index: {}", self.name);
            return Err(Error::new(Code::IndexKeySpecsConflict, message));
        }
        if self.unique == other.unique && compare_docs(self.key(), other.key()) == Ordering::Equal {
            let message = format!("Index already exists with a different name: {}", other.name);
            return Err(Error::new(Code::IndexOptionsConflict, message));
        }
        Ok(())
    }

    /// Where the index has more fields than one may.
    ///
    /// # Errors
    /// 13103.
    pub fn check_field_count(&self) -> Result<()> {
        if self.key().count() > FIELDS_MAX {
            return Err(Error::new(Code::location(13103), "too many compound keys"));
        }
        Ok(())
    }
}

/// `{_id: 1}`.
fn id_key() -> IdKey {
    let mut doc = DocBuilder::new();
    doc.push("_id", 1);
    IdKey(doc.finish())
}

struct IdKey(Vec<u8>);

impl IdKey {
    fn as_doc(&self) -> RawDoc<'_> {
        RawDoc::from_validated(&self.0)
    }
}

fn parse_key(doc: RawDoc<'_>) -> Result<RawDoc<'_>> {
    let key = match doc.get("key") {
        Some(Value::Document(key)) => key,
        Some(other) => {
            let message = format!("The field 'key' must be an object, but got {}", other.kind().alias());
            return Err(Error::new(Code::TypeMismatch, message));
        }
        None => {
            let message = "The 'key' field is a required property of an index specification";
            return Err(Error::new(Code::FailedToParse, message));
        }
    };
    let cannot = |message: String| Err(Error::new(Code::CannotCreateIndex, message));
    if key.is_empty() {
        return cannot("Index keys cannot be empty.".to_string());
    }
    for element in key.iter() {
        check_key_name(element.name.as_str())?;
        match element.value {
            Value::Int32(_) | Value::Int64(_) | Value::Double(_) | Value::Decimal128(_) => {
                let zero = Value::Int32(0);
                if matches!(element.value, Value::Double(v) if v.is_nan()) {
                    return cannot("Values in the index key pattern cannot be NaN.".to_string());
                }
                if crate::bson::compare(&element.value, &zero) == Ordering::Equal {
                    return cannot("Values in the index key pattern cannot be 0.".to_string());
                }
            }
            Value::String(text) if text.is_empty() => {
                return cannot("Values in the index key pattern cannot be empty strings".to_string());
            }
            Value::String(text) if PLUGINS.contains(&text.as_str()) => {}
            Value::String(text) => return cannot(format!("Unknown index plugin '{text}'")),
            other => {
                return cannot(format!(
                    "Values in v:2 index key pattern cannot be of type {}. Only numbers > 0, numbers < 0, and strings are \
                     allowed.",
                    other.kind().alias()
                ));
            }
        }
    }
    Ok(key)
}

fn check_key_name(name: &str) -> Result<()> {
    let cannot = |message: &str| Err(Error::new(Code::CannotCreateIndex, message));
    if name.is_empty() {
        return cannot("Index keys cannot be an empty field.");
    }
    if name == "$**" {
        return Ok(());
    }
    crate::query::field_path::check_length(name, Code::CannotCreateIndex)?;
    for (place, part) in name.split('.').enumerate() {
        if part.is_empty() {
            return cannot("Index keys cannot contain an empty field.");
        }
        let is_reference = place > 0 && ["$id", "$db", "$ref"].contains(&part);
        if part.starts_with('$') && !is_reference && part != "$**" {
            return cannot("Index key contains an illegal field name: field name starts with '$'.");
        }
    }
    Ok(())
}

fn parse_name(doc: RawDoc<'_>) -> Result<String> {
    let cannot = |message: &str| Err(Error::new(Code::CannotCreateIndex, message));
    match doc.get("name") {
        Some(Value::String(name)) if name.is_empty() => cannot("index name cannot be empty"),
        Some(Value::String(name)) if name.as_bytes().contains(&0) => {
            cannot("index name cannot contain NUL bytes")
        }
        Some(Value::String(name)) => Ok(name.as_str().to_string()),
        Some(other) => {
            let message = format!("The field 'name' must be a string, but got {}", other.kind().alias());
            Err(Error::new(Code::TypeMismatch, message))
        }
        None => {
            let message = "The 'name' field is a required property of an index specification";
            Err(Error::new(Code::FailedToParse, message))
        }
    }
}

fn is_known(name: &str) -> bool {
    OPTIONS.contains(&name) || NOT_YET.contains(&name)
}

fn check_option(doc: RawDoc<'_>, name: &str, value: &Value<'_>) -> Result<()> {
    let mismatch = |message: String| Err(Error::new(Code::TypeMismatch, message));
    match name {
        "key" | "name" | "ns" | "dropDups" => Ok(()),
        "unique" | "sparse" | "background" | "hidden" | "prepareUnique" => {
            if !value.is_number() && !matches!(value, Value::Bool(_)) {
                let shown = show::element(name, value);
                return mismatch(format!(
                    "The field '{name} has value {shown}, which is not convertible to bool"
                ));
            }
            if ["sparse", "hidden", "prepareUnique"].contains(&name) && is_true(value) {
                return Err(Error::not_implemented(format!("the index option {name}")));
            }
            Ok(())
        }
        "v" => check_version(doc, value),
        "collation" | "partialFilterExpression" | "weights" | "wildcardProjection" | "storageEngine" => {
            let Value::Document(inner) = value else {
                let found = value.kind().alias();
                return mismatch(format!("The field '{name}' must be an object, but got {found}"));
            };
            let is_simple = inner.get("locale").is_some_and(|locale| locale.as_str() == Some("simple"));
            if name == "collation" && is_simple {
                return Ok(());
            }
            Err(Error::not_implemented(format!("the index option {name}")))
        }
        "expireAfterSeconds" => check_ttl(doc, value),
        other if NOT_YET.contains(&other) => Err(Error::not_implemented(format!("the index option {other}"))),
        other => {
            let message = format!(
                "The field '{other}' is not valid for an index specification. Specification: {}",
                show::document(doc)
            );
            Err(Error::new(Code::InvalidIndexSpecificationOption, message))
        }
    }
}

fn check_version(doc: RawDoc<'_>, value: &Value<'_>) -> Result<()> {
    match integer(value) {
        None => {
            let message = format!("The field 'v' must be a number, but got {}", value.kind().alias());
            Err(Error::new(Code::TypeMismatch, message))
        }
        Some(2) => Ok(()),
        Some(1) => Err(Error::not_implemented("an index of version 1")),
        Some(other) => {
            let shown = show::document(doc);
            let message =
                format!("Invalid index specification {shown}; cannot create an index with v={other}");
            Err(Error::new(Code::CannotCreateIndex, message))
        }
    }
}

fn check_ttl(doc: RawDoc<'_>, value: &Value<'_>) -> Result<()> {
    let shown = show::document(doc);
    let cannot = |what: String| {
        let message = format!("TTL index 'expireAfterSeconds' option {what}. Index spec: {shown}");
        Err(Error::new(Code::CannotCreateIndex, message))
    };
    match integer(value) {
        None => cannot(format!("must be numeric, but received a type of '{}'", value.kind().alias())),
        Some(seconds) if seconds < 0 => cannot("cannot be less than 0".to_string()),
        Some(_) => Err(Error::not_implemented("a TTL index")),
    }
}

fn check_id_index(doc: RawDoc<'_>, key: RawDoc<'_>, name: &str, is_id_key: bool) -> Result<()> {
    let bad = |message: String| Err(Error::new(Code::BadValue, message));
    if name == "*" {
        return bad("The index name '*' is not valid.".to_string());
    }
    if !is_id_key {
        if name == "_id_" {
            return bad(format!(
                "The index name '_id_' is reserved for the _id index, which must have key pattern {{_id: 1}}, found key: {}",
                show::document(key)
            ));
        }
        let mut fields = key.iter();
        let only = fields.next().filter(|_| fields.next().is_none());
        if only.is_some_and(|element| element.name == "_id" && element.value.is_number()) {
            return bad(format!(
                "The field 'key' for an _id index must be {{_id: 1}}, but got {}",
                show::document(key)
            ));
        }
        return Ok(());
    }
    for element in doc.iter() {
        if !["key", "name", "v", "ns", "collation"].contains(&element.name.as_str()) {
            let message = format!(
                "The field '{}' is not valid for an _id index specification. Specification: {}",
                element.name,
                show::document(doc)
            );
            return Err(Error::new(Code::InvalidIndexSpecificationOption, message));
        }
    }
    Ok(())
}

fn is_true(value: &Value<'_>) -> bool {
    match value {
        Value::Bool(v) => *v,
        number => crate::bson::compare(number, &Value::Int32(0)) != Ordering::Equal,
    }
}

/// The specifications of a `createIndexes` command.
///
/// # Errors
/// 14, 2, and those of [`Spec::parse`].
pub fn parse_all(indexes: crate::bson::RawArray<'_>, ignores_unknown: bool) -> Result<Vec<Spec>> {
    let mut specs: Vec<Spec> = Vec::new();
    for (place, value) in indexes.iter().enumerate() {
        match value {
            Value::Document(doc) => specs.push(Spec::parse(doc, ignores_unknown)?),
            Value::Null => {}
            other => {
                let path = format!("createIndexes.indexes.{place}");
                return Err(wrong_type(&path, &other, Kind::Document));
            }
        }
    }
    if specs.is_empty() {
        return Err(Error::new(Code::BadValue, "Must specify at least one index to create"));
    }
    Ok(specs)
}
