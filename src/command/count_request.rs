//! What `count` asks, parsed: shared with `explain`.

use super::Request;
use super::fields::{Field, Fields, Kind};
use super::find_request::{check_collation, check_read_concern, not_negative, parse_hint};
use crate::bson::raw::EMPTY_DOCUMENT;
use crate::bson::{RawDoc, Value};
use crate::catalog::Namespace;
use crate::error::{Code, Error, Result};
use crate::plan::Query;
use crate::query::operators::exact_integer;

const FIELDS: &[Field] = &[
    Field::optional("query", Kind::Document),
    Field::optional("limit", Kind::Any),
    Field::optional("skip", Kind::Integer),
    Field::optional("hint", Kind::Any),
    Field::optional("fields", Kind::Document),
    Field::optional("collation", Kind::Document),
    Field::optional("mirrored", Kind::Bool),
    Field::optional("encryptionInformation", Kind::Document),
    Field::optional("queryOptions", Kind::Document),
];

/// What `count` asks.
#[derive(Clone, Debug)]
pub struct CountRequest {
    pub namespace: Namespace,
    /// With skip and limit.
    pub query: Query,
    /// Whether every document counts, so that the collection's statistics answer.
    pub counts_all: bool,
}

impl CountRequest {
    /// Parses `count`.
    ///
    /// # Errors
    /// MongoDB's.
    pub fn parse(request: &Request<'_>) -> Result<CountRequest> {
        let Value::String(name) = request.argument() else {
            let found = request.argument().kind().alias();
            let message = format!("collection name has invalid type {found}");
            return Err(Error::new(Code::InvalidNamespace, message));
        };
        let namespace = Namespace::new(request.database, name.as_str())?;
        let fields = Fields::of_command("count", request.doc, FIELDS)?;
        check_read_concern(request.doc)?;
        check_collation(&fields)?;
        let mut query = Query::of_filter(fields.document("query").unwrap_or(EMPTY_DOCUMENT))?;
        query.limit = limit(request.doc)?;
        query.skip = not_negative(&fields, "skip")?.unwrap_or(0);
        query.hint = parse_hint(fields.get("hint"))?;
        let counts_all = query.filter.is_empty() && query.hint.is_none();
        Ok(CountRequest { namespace, query, counts_all })
    }

    /// What is counted of `documents` that match.
    pub fn of_all(&self, documents: u64) -> u64 {
        let rest = documents.saturating_sub(self.query.skip);
        self.query.limit.map_or(rest, |limit| rest.min(limit))
    }
}

/// The limit: 0 is none, a negative one its absolute value, as in MongoDB.
fn limit(doc: RawDoc<'_>) -> Result<Option<u64>> {
    let Some(value) = doc.get("limit") else { return Ok(None) };
    let bad = |message: &str| Error::new(Code::BadValue, message);
    if !value.is_number() {
        return Err(bad("limit value is not a valid number"));
    }
    let limit = exact_integer("limit", &value).map_err(|message| Error::new(Code::FailedToParse, message))?;
    if limit == i64::MIN {
        return Err(bad("limit value for count cannot be min long"));
    }
    Ok(Some(limit.unsigned_abs()).filter(|limit| *limit > 0))
}
