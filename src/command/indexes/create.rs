//! `createIndexes`.
//!
//! The indexes of one command become visible together, when all are complete. Until then their trees are garbage with a
//! lease (`catalog/garbage.rs`), so that whatever ends the build half way leaves nothing behind.

use super::build::{Build, Built};
use super::spec::{Spec, parse_all};
use crate::catalog::{self, Namespace};
use crate::command::drop::free_some;
use crate::command::fields::{Field, Fields, Kind};
use crate::command::running::{Access, Context, Progress, Running, Saved};
use crate::command::{Request, ok_reply, write};
use crate::error::{Code, Error, Result};
use crate::step::{Step, Stop};
use crate::store::Durability;

/// The most indexes of a collection, `_id` included.
const INDEXES_MAX: usize = 64;

const FIELDS: &[Field] = &[
    Field::optional("createIndexes", Kind::Any),
    Field::required("indexes", Kind::Array),
    Field::optional("commitQuorum", Kind::Any),
    Field::optional("ignoreUnknownIndexOptions", Kind::Bool),
];

struct CreateIndexes {
    namespace: Namespace,
    specs: Vec<Spec>,
    durability: Durability,
    time_limit_ms: Option<u64>,
    /// Whether the collection was made by this command, in a commit that landed or will.
    made_collection: bool,
    phase: Phase,
}

enum Phase {
    Start,
    Building(Box<Build>),
    /// The build failed; its trees are to become garbage.
    Discarding(Box<Build>, Error),
    /// The build failed; its trees are being freed.
    Failing(Error),
    Done(Vec<u8>),
}

/// Parses `createIndexes`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    write::check_is_list(request.doc, "indexes")?;
    let fields = Fields::of_command("createIndexes", request.doc, FIELDS)?;
    catalog::check_database(request.database)?;
    let namespace = request.namespace()?;
    namespace.check_creatable()?;
    let indexes =
        fields.array("indexes").ok_or_else(|| crate::command::fields::missing("createIndexes", "indexes"))?;
    Ok(Box::new(CreateIndexes {
        namespace,
        specs: parse_all(indexes, fields.bool_or("ignoreUnknownIndexOptions", false))?,
        durability: request.durability(),
        time_limit_ms: request.time_limit_ms(),
        made_collection: false,
        phase: Phase::Start,
    }))
}

impl CreateIndexes {
    fn start(&mut self, cx: &mut Context<'_>) -> Step<Phase> {
        let existed = cx.collection_for_write(&self.namespace)?.is_some();
        if existed {
            self.made_collection = false;
        }
        let collection = write::ensure_collection(cx, &self.namespace)?;
        self.made_collection |= !existed;
        let mut wanted: Vec<&Spec> = Vec::new();
        for spec in &self.specs {
            if !spec.is_in(&collection.indexes)? {
                wanted.push(spec);
            }
        }
        let before = collection.indexes.len();
        if wanted.is_empty() {
            return Ok(Phase::Done(self.reply(before, before, true)));
        }
        check_together(&wanted)?;
        if before + wanted.len() > INDEXES_MAX {
            let message = format!("add index fails, too many indexes for {}", self.namespace.full());
            return Err(Error::new(Code::CannotCreateIndex, message).into());
        }
        Ok(Phase::Building(Box::new(Build::begin(cx, collection, &wanted)?)))
    }

    fn fail(&mut self, error: Error) {
        if let Phase::Building(build) = std::mem::replace(&mut self.phase, Phase::Start) {
            self.phase = Phase::Discarding(build, error);
        }
    }

    fn reply(&self, before: usize, after: usize, all_exist: bool) -> Vec<u8> {
        ok_reply(|doc| {
            doc.push("numIndexesBefore", before as i32).push("numIndexesAfter", after as i32);
            if !all_exist || self.made_collection {
                doc.push("createdCollectionAutomatically", self.made_collection);
            }
            if all_exist {
                doc.push("note", "all indexes already exist");
            }
        })
    }
}

/// Two indexes of one command may not be the same, nor of one name.
fn check_together(specs: &[&Spec]) -> Result<()> {
    for (place, spec) in specs.iter().enumerate() {
        spec.check_field_count()?;
        for other in &specs[..place] {
            if spec.is_identical(other) {
                let message = "Cannot build two identical indexes. Try again without duplicate indexes.";
                return Err(Error::new(Code::OperationFailed, message));
            }
            spec.conflicts_with(other)?;
        }
    }
    Ok(())
}

impl Running for CreateIndexes {
    fn access(&self) -> Access {
        Access::Write
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        match &mut self.phase {
            Phase::Start => self.phase = self.start(cx)?,
            Phase::Building(build) => match build.step(cx) {
                Ok(Built::More) => {}
                Ok(Built::Complete) => {
                    let (before, after) = build.counts();
                    self.phase = Phase::Done(self.reply(before, after, false));
                }
                Err(Stop::Failed(error)) => self.fail(error),
                Err(stop) => return Err(stop),
            },
            Phase::Discarding(build, error) => {
                build.discard(cx)?;
                self.phase = Phase::Failing(error.clone());
            }
            Phase::Failing(error) => {
                if !free_some(cx)? {
                    return Err(Stop::Failed(error.clone()));
                }
            }
            Phase::Done(reply) => return Ok(Progress::Reply(std::mem::take(reply))),
        }
        Ok(Progress::More)
    }

    fn save(&self) -> Saved {
        Box::new(())
    }

    /// The build starts over: its first trees are garbage already.
    fn restore(&mut self, _saved: &Saved) {
        self.phase = Phase::Start;
    }

    fn state_read_anew(&mut self) {
        self.phase = Phase::Start;
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn time_limit_ms(&self) -> Option<u64> {
        self.time_limit_ms
    }
}
