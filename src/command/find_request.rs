//! What `find` asks, parsed: shared with `explain`.

use super::fields::{Field, Fields, Kind};
use super::{Request, let_variables};
use crate::bson::order::Direction;
use crate::bson::raw::EMPTY_DOCUMENT;
use crate::bson::{RawDoc, Type, Value};
use crate::catalog::Namespace;
use crate::error::{Code, Error, Result};
use crate::exec::SortLimits;
use crate::plan::{Hint, Query, id_equality};
use crate::query::{Filter, OwnedValue, Projection, SortPattern};

const FIELDS: &[Field] = &[
    Field::optional("filter", Kind::Any),
    Field::optional("projection", Kind::Any),
    Field::optional("sort", Kind::Any),
    Field::optional("hint", Kind::Any),
    Field::optional("skip", Kind::Integer),
    Field::optional("limit", Kind::Integer),
    Field::optional("batchSize", Kind::Integer),
    Field::optional("ntoreturn", Kind::Integer),
    Field::optional("singleBatch", Kind::Any),
    Field::optional("min", Kind::Any),
    Field::optional("max", Kind::Any),
    Field::optional("returnKey", Kind::Any),
    Field::optional("showRecordId", Kind::Any),
    Field::optional("tailable", Kind::Any),
    Field::optional("awaitData", Kind::Any),
    Field::optional("oplogReplay", Kind::Any),
    Field::optional("noCursorTimeout", Kind::Any),
    Field::optional("allowPartialResults", Kind::Any),
    Field::optional("allowDiskUse", Kind::Any),
    Field::optional("mirrored", Kind::Any),
    Field::optional("readOnce", Kind::Any),
    Field::optional("requestResumeToken", Kind::Any),
    Field::optional("resumeAfter", Kind::Document),
    Field::optional("collation", Kind::Document),
    Field::optional("let", Kind::Document),
    Field::optional("term", Kind::Integer),
];

const BOOLS: &[&str] = &[
    "singleBatch",
    "returnKey",
    "showRecordId",
    "tailable",
    "awaitData",
    "oplogReplay",
    "noCursorTimeout",
    "allowPartialResults",
    "allowDiskUse",
    "mirrored",
    "readOnce",
    "requestResumeToken",
];

/// What `find` asks.
#[derive(Clone, Debug)]
pub struct FindRequest {
    pub namespace: Namespace,
    pub query: Query,
    /// `None` for whole documents.
    pub projection: Option<Projection>,
    /// The projection as sent.
    pub projection_sent: Vec<u8>,
    pub batch_size: Option<u64>,
    pub single_batch: bool,
    pub no_time_limit: bool,
    pub shows_record_id: bool,
    pub sort_limits: SortLimits,
}

impl FindRequest {
    /// Parses `find`.
    ///
    /// # Errors
    /// MongoDB's; 238 for options that are not built yet.
    pub fn parse(request: &Request<'_>) -> Result<FindRequest> {
        let namespace = read_namespace(request)?;
        if let Some(plain) = Plain::of(request.doc) {
            return plain.into_request(namespace);
        }
        let fields = Fields::of_command("FindCommandRequest", request.doc, FIELDS)?;
        check_bools(request.doc)?;
        check_read_concern(request.doc)?;
        check_options(&fields, request.doc)?;
        fields.document("let").map_or(Ok(()), let_variables::check)?;
        let document = |name: &str| -> Result<RawDoc<'_>> {
            match request.doc.get(name) {
                None => Ok(EMPTY_DOCUMENT),
                Some(Value::Document(doc)) => Ok(doc),
                Some(_) => {
                    let message = format!("Expected field {name}to be of type object");
                    Err(Error::new(Code::TypeMismatch, message))
                }
            }
        };
        let not_negative = |name: &str| not_negative(&fields, name);
        let (filter, projection, sort) = (document("filter")?, document("projection")?, document("sort")?);
        let limit = not_negative("limit")?.filter(|limit| *limit > 0);
        let skip = not_negative("skip")?.unwrap_or(0);
        let batch_size = not_negative("batchSize")?;
        let hint = parse_hint(fields.get("hint"))?;
        let sort = SortPattern::parse(sort)?;
        let mut query = query(filter, sort, skip, limit, hint)?;
        let parsed = Projection::parse(projection)?;
        query.needs = parsed.included_paths();
        Ok(FindRequest {
            namespace,
            query,
            projection: (!parsed.is_whole()).then_some(parsed),
            projection_sent: projection.as_bytes().to_vec(),
            batch_size,
            single_batch: fields.bool_or("singleBatch", false),
            no_time_limit: fields.bool_or("noCursorTimeout", false),
            shows_record_id: fields.bool_or("showRecordId", false),
            sort_limits: SortLimits {
                bytes_max: request.settings.sort_bytes_max,
                // As `allowDiskUseByDefault` of MongoDB 6.0.
                may_spill: fields.bool_or("allowDiskUse", true),
            },
        })
    }
}

fn query(
    filter: RawDoc<'_>,
    sort: SortPattern,
    skip: u64,
    limit: Option<u64>,
    hint: Option<Hint>,
) -> Result<Query> {
    let id = id_equality(filter).filter(|_| hint.is_none() && !matches!(sort, SortPattern::Natural(_)));
    Ok(Query {
        // A lookup by _id needs no filter, so none is parsed.
        filter: match id {
            Some(_) => Filter::all(),
            None => Filter::parse(filter)?.normalize(),
        },
        id: id.map(|value| OwnedValue::new(&value)),
        sort,
        skip,
        limit,
        hint,
        needs: None,
    })
}

/// What most `find` commands are made of, read in one pass. Whatever else there is, or is of another type, sends the
/// command the long way, which finds the same in these fields.
#[derive(Default)]
struct Plain<'a> {
    filter: Option<RawDoc<'a>>,
    limit: Option<u64>,
    batch_size: Option<u64>,
    single_batch: Option<bool>,
}

impl<'a> Plain<'a> {
    fn of(doc: RawDoc<'a>) -> Option<Plain<'a>> {
        let mut plain = Plain::default();
        for element in doc.iter().skip(1) {
            let repeated = match (element.name.as_bytes(), element.value) {
                (b"filter", Value::Document(filter)) => plain.filter.replace(filter).is_some(),
                (b"limit", Value::Int32(limit)) => plain.limit.replace(u64::try_from(limit).ok()?).is_some(),
                (b"batchSize", Value::Int32(size)) => {
                    plain.batch_size.replace(u64::try_from(size).ok()?).is_some()
                }
                (b"singleBatch", Value::Bool(single)) => plain.single_batch.replace(single).is_some(),
                (b"$db", Value::String(_)) => false,
                _ => return None,
            };
            if repeated {
                return None;
            }
        }
        Some(plain)
    }

    fn into_request(self, namespace: Namespace) -> Result<FindRequest> {
        let limit = self.limit.filter(|limit| *limit > 0);
        Ok(FindRequest {
            namespace,
            query: query(self.filter.unwrap_or(EMPTY_DOCUMENT), SortPattern::none(), 0, limit, None)?,
            projection: None,
            projection_sent: EMPTY_DOCUMENT.as_bytes().to_vec(),
            batch_size: self.batch_size,
            single_batch: self.single_batch.unwrap_or(false),
            no_time_limit: false,
            shows_record_id: false,
            sort_limits: SortLimits::default(),
        })
    }
}

/// The namespace of a command that reads.
///
/// # Errors
/// 2 and 73.
pub fn read_namespace(request: &Request<'_>) -> Result<Namespace> {
    let namespace = request.namespace()?;
    if namespace.collection.contains('$') {
        let message = format!("Invalid collection name specified '{}'", namespace.full());
        return Err(Error::new(Code::InvalidNamespace, message));
    }
    Ok(namespace)
}

/// A number that may not be below zero.
///
/// # Errors
/// 51024.
pub fn not_negative(fields: &Fields<'_>, name: &str) -> Result<Option<u64>> {
    let Some(value) = fields.integer(name) else { return Ok(None) };
    match u64::try_from(value) {
        Ok(value) => Ok(Some(value)),
        Err(_) => {
            let message = format!("BSON field '{name}' value must be >= 0, actual value '{value}'");
            Err(Error::new(Code::location(51024), message))
        }
    }
}

/// A hint: an index's name or key pattern, `{$natural: ±1}`; `{}` is none.
///
/// # Errors
/// 9 for other types.
pub fn parse_hint(hint: Option<Value<'_>>) -> Result<Option<Hint>> {
    match hint {
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(Hint::Name(name.as_str().to_string()))),
        Some(Value::Document(doc)) if doc.is_empty() => Ok(None),
        Some(Value::Document(doc)) => Ok(Some(match doc.get("$natural") {
            Some(value) => {
                let backward = super::fields::integer(&value).is_some_and(|v| v < 0);
                Hint::Natural(if backward { Direction::Descending } else { Direction::Ascending })
            }
            None => Hint::Pattern(doc.as_bytes().to_vec()),
        })),
        Some(_) => Err(Error::new(Code::FailedToParse, "Hint must be a string or an object")),
    }
}

fn check_bools(doc: RawDoc<'_>) -> Result<()> {
    for element in doc.iter() {
        let kind = element.value.kind();
        if kind != Type::Bool && BOOLS.contains(&element.name.as_str()) {
            let (name, found) = (element.name, kind.alias());
            let message = format!("Field '{name}' should be a boolean value, but found: {found}");
            return Err(Error::new(Code::TypeMismatch, message));
        }
    }
    Ok(())
}

/// `readConcern`: every level gives what is committed, which is what there is here.
///
/// # Errors
/// 9 for what is none.
pub fn check_read_concern(doc: RawDoc<'_>) -> Result<()> {
    let failed = |message: &str| Err(Error::new(Code::FailedToParse, message));
    let concern = match doc.get("readConcern") {
        None => return Ok(()),
        Some(Value::Document(concern)) => concern,
        Some(_) => return failed("readConcern field should be an object"),
    };
    match concern.get("level") {
        None => Ok(()),
        Some(Value::String(level)) => match level.as_str() {
            "local" | "majority" | "linearizable" | "available" => Ok(()),
            "snapshot" => Err(Error::not_implemented("the read concern snapshot")),
            _ => failed(
                "readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'",
            ),
        },
        Some(other) => {
            let found = other.kind().alias();
            let message = format!("\"level\" had the wrong type. Expected string, found {found}");
            Err(Error::new(Code::TypeMismatch, message))
        }
    }
}

/// A collation: only the one that compares bytes, which is the default.
///
/// # Errors
/// 238 for every other.
pub fn check_collation(fields: &Fields<'_>) -> Result<()> {
    match fields.document("collation") {
        None => Ok(()),
        Some(doc) if doc.is_empty() => Ok(()),
        Some(doc) if doc.count() == 1 && doc.get("locale").and_then(|v| v.as_str()) == Some("simple") => {
            Ok(())
        }
        Some(_) => Err(Error::not_implemented("a collation")),
    }
}

fn check_options(fields: &Fields<'_>, doc: RawDoc<'_>) -> Result<()> {
    if fields.get("ntoreturn").is_some() {
        let message = "the ntoreturn find command parameter is not supported when FCV >= 5.1";
        return Err(Error::new(Code::location(5_746_102), message));
    }
    for name in ["min", "max"] {
        match doc.get(name) {
            None => {}
            Some(Value::Document(bound)) if bound.is_empty() => {}
            Some(Value::Document(_)) => {
                return Err(Error::not_implemented(format!("the option {name} of find")));
            }
            Some(_) => {
                let message = format!("Expected field {name}to be of type object");
                return Err(Error::new(Code::TypeMismatch, message));
            }
        }
    }
    check_collation(fields)?;
    if fields.bool_or("tailable", false) {
        let message = "error processing query: tailable cursor requested on non capped collection";
        return Err(Error::new(Code::BadValue, message));
    }
    if fields.bool_or("awaitData", false) {
        let message = "Cannot set 'awaitData' without also setting 'tailable'";
        return Err(Error::new(Code::FailedToParse, message));
    }
    for name in ["returnKey", "requestResumeToken"] {
        if fields.bool_or(name, false) {
            return Err(Error::not_implemented(format!("the option {name} of find")));
        }
    }
    if fields.document("resumeAfter").is_some_and(|token| !token.is_empty()) {
        return Err(Error::not_implemented("the option resumeAfter of find"));
    }
    Ok(())
}
