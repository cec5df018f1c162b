//! `create`: a collection.

use super::fields::{Field, Fields, Kind};
use super::running::{Access, Context, Progress, Running};
use super::{Request, ok_reply, write};
use crate::bson::DocBuilder;
use crate::catalog::Namespace;
use crate::error::{Code, Error, Result};
use crate::query::Filter;
use crate::step::Step;
use crate::store::Durability;

const FIELDS: &[Field] = &[
    Field::optional("create", Kind::Any),
    Field::optional("capped", Kind::BoolOrNumber),
    Field::optional("size", Kind::Number),
    Field::optional("max", Kind::Number),
    Field::optional("autoIndexId", Kind::BoolOrNumber),
    Field::optional("idIndex", Kind::Document),
    Field::optional("storageEngine", Kind::Document),
    Field::optional("validator", Kind::Document),
    Field::optional("validationLevel", Kind::String),
    Field::optional("validationAction", Kind::String),
    Field::optional("indexOptionDefaults", Kind::Document),
    Field::optional("viewOn", Kind::String),
    Field::optional("pipeline", Kind::Array),
    Field::optional("collation", Kind::Document),
    Field::optional("recordPreImages", Kind::Bool),
    Field::optional("changeStreamPreAndPostImages", Kind::Document),
    Field::optional("timeseries", Kind::Document),
    Field::optional("clusteredIndex", Kind::Any),
    Field::optional("expireAfterSeconds", Kind::Any),
    Field::optional("encryptedFields", Kind::Document),
    Field::optional("temp", Kind::BoolOrNumber),
    Field::optional("flags", Kind::Number),
];

/// Options that MongoDB has and that would change what a collection does.
const NOT_YET: &[&str] = &[
    "viewOn",
    "timeseries",
    "clusteredIndex",
    "recordPreImages",
    "changeStreamPreAndPostImages",
    "encryptedFields",
    "storageEngine",
    "indexOptionDefaults",
];

struct Create {
    namespace: Namespace,
    options: Vec<u8>,
    note: Option<&'static str>,
    durability: Durability,
}

/// Parses `create`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let fields = Fields::of_command("create", request.doc, FIELDS)?;
    let namespace = request.namespace()?;
    namespace.check_creatable()?;
    let invalid = |message: &str| Err(Error::new(Code::InvalidOptions, message));
    if let Some(clustered) = fields.get("clusteredIndex")
        && clustered.as_document().is_none()
    {
        let message = "The 'clusteredIndex' legacy format {clusteredIndex: <bool>} is only supported for specific \
                       internal collections and vice versa";
        return Err(Error::new(Code::location(5_979_703), message));
    }
    if fields.get("temp").is_some() {
        return invalid("the 'temp' field is an invalid option");
    }
    if fields.get("autoIndexId").is_some() && !fields.bool_or("autoIndexId", true) {
        let message = format!(
            "autoIndexId:false is not allowed for collection {} because it can be replicated",
            namespace.full()
        );
        return Err(Error::new(Code::location(50001), message));
    }
    check_capped(&fields)?;
    check_validation(&fields)?;
    if fields.get("pipeline").is_some() && fields.get("viewOn").is_none() {
        return invalid("'pipeline' requires 'viewOn' to also be specified");
    }
    if fields.get("expireAfterSeconds").is_some()
        && fields.get("timeseries").is_none()
        && fields.get("clusteredIndex").is_none()
    {
        return invalid(
            "'expireAfterSeconds' is only supported on time-series collections or when the 'clusteredIndex' option is \
             specified",
        );
    }
    check_collation(&fields, "create")?;
    if let Some(option) = NOT_YET.iter().find(|name| fields.get(name).is_some()) {
        return Err(Error::not_implemented(format!("the option {option} of create")));
    }
    let mut options = DocBuilder::new();
    let with_auto_index = fields.get("autoIndexId");
    if let Some(value) = with_auto_index {
        options.push("autoIndexId", value);
    }
    Ok(Box::new(Create {
        namespace,
        options: options.finish(),
        note: with_auto_index
            .map(|_| "The autoIndexId option is deprecated and will be removed in a future release"),
        durability: request.durability(),
    }))
}

fn check_capped(fields: &Fields<'_>) -> Result<()> {
    let capped = fields.bool_or("capped", false);
    for name in ["size", "max"] {
        if let Some(value) = fields.integer(name)
            && value < 1
            && name == "size"
        {
            let message = format!("BSON field '{name}' value must be >= 1, actual value '{value}'");
            return Err(Error::new(Code::location(51024), message));
        }
    }
    if capped && fields.get("size").is_none() {
        return Err(Error::new(Code::InvalidOptions, "the 'size' field is required when 'capped' is true"));
    }
    if !capped && (fields.get("size").is_some() || fields.get("max").is_some()) {
        let message =
            "the 'capped' field needs to be true when either the 'size' or 'max' fields are present";
        return Err(Error::new(Code::InvalidOptions, message));
    }
    if capped {
        return Err(Error::not_implemented("a capped collection"));
    }
    Ok(())
}

fn check_validation(fields: &Fields<'_>) -> Result<()> {
    for (name, allowed) in [
        ("validationLevel", &["off", "strict", "moderate"][..]),
        ("validationAction", &["error", "warn"][..]),
    ] {
        if let Some(value) = fields.string(name)
            && !allowed.contains(&value)
        {
            let message =
                format!("Enumeration value '{value}' for field 'create.{name}' is not a valid value.");
            return Err(Error::new(Code::BadValue, message));
        }
    }
    if let Some(validator) = fields.document("validator") {
        Filter::parse(validator)?;
        if !validator.is_empty() {
            return Err(Error::not_implemented("a validator"));
        }
    }
    Ok(())
}

/// Collation other than simple is not built yet.
///
/// # Errors
/// 238, and 40414 for one without a locale; `create` says so of an empty one too, the others take it for none.
pub fn check_collation(fields: &Fields<'_>, context: &str) -> Result<()> {
    let Some(collation) = fields.document("collation") else { return Ok(()) };
    match collation.get("locale") {
        None if collation.is_empty() && context != "create" => Ok(()),
        None => Err(super::fields::missing(&format!("{context}.collation"), "locale")),
        Some(locale) if locale.as_str() == Some("simple") => Ok(()),
        Some(_) => Err(Error::not_implemented("a collation other than simple")),
    }
}

impl Running for Create {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if cx.collection_for_write(&self.namespace)?.is_some() {
            let message = format!("Collection {} already exists.", self.namespace.full());
            return Err(Error::new(Code::NamespaceExists, message).into());
        }
        write::create_collection(cx, &self.namespace, self.options.clone())?;
        let note = self.note;
        Ok(Progress::Reply(ok_reply(|doc| {
            if let Some(note) = note {
                doc.push("note", note);
            }
        })))
    }

    fn durability(&self) -> Durability {
        self.durability
    }
}
