//! `explain`: the plan of `find`, `count`, `update` and `delete`, and what its execution looks at. Nothing is written.

use super::count_request::CountRequest;
use super::cursor_reply::{check_alive, collection};
use super::fields::{Field, Fields, Kind};
use super::find_request::{FindRequest, parse_hint, read_namespace};
use super::running::{Access, Context, Progress, Running};
use super::{Request, ok_reply, table};
use crate::bson::{DocBuilder, RawDoc, Value};
use crate::catalog::{Collection, Namespace};
use crate::error::{Code, Error, Result};
use crate::exec::explain::{self, Above, Totals};
use crate::exec::{ExecContext, Executor, Output, ROWS_PER_STEP, SortLimits, Work};
use crate::plan::{self, Plan, Query};
use crate::step::Step;

const FIELDS: &[Field] = &[Field::optional("verbosity", Kind::String)];

/// Commands that MongoDB explains and PandoDB does not have yet.
const NOT_YET: &[&str] =
    &["aggregate", "distinct", "findAndModify", "findandmodify", "mapReduce", "mapreduce"];

/// What is explained.
struct Target {
    namespace: Namespace,
    query: Query,
    sort_limits: SortLimits,
    output: Output,
    /// Stages above the plan, from the top.
    above: Vec<Above>,
    /// Stop after so many rows, without a limit in the plan: a write of one document.
    rows_max: u64,
    /// The plan is the collection's statistics.
    is_fast_count: bool,
    /// Whether the rows go to a command that answers none.
    returns_rows: bool,
}

struct Explain {
    target: Target,
    /// The explained command, as sent.
    command: Vec<u8>,
    executes: bool,
    all_plans: bool,
    running: Option<(std::rc::Rc<Collection>, Executor)>,
    rows: u64,
    began_ms: i64,
    time_limit_ms: Option<u64>,
}

/// Parses `explain`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let Value::Document(command) = request.argument() else {
        let found = request.argument().kind().alias();
        let message =
            format!("BSON field 'explain.explain' is the wrong type '{found}', expected type 'object'");
        return Err(Error::new(Code::TypeMismatch, message));
    };
    let fields = Fields::of_command("explain", request.doc, FIELDS)?;
    let (executes, all_plans) = match fields.string("verbosity") {
        None | Some("allPlansExecution") => (true, true),
        Some("executionStats") => (true, false),
        Some("queryPlanner") => (false, false),
        Some(other) => {
            let message =
                format!("Enumeration value '{other}' for field 'explain.verbosity' is not a valid value.");
            return Err(Error::new(Code::BadValue, message));
        }
    };
    let name = command.first().map_or("", |first| first.name.as_str());
    let inner = Request { name, doc: command, ..*request };
    Ok(Box::new(Explain {
        target: Target::parse(&inner)?,
        command: command.as_bytes().to_vec(),
        executes,
        all_plans,
        running: None,
        rows: 0,
        began_ms: 0,
        time_limit_ms: request.time_limit_ms(),
    }))
}

impl Target {
    fn parse(request: &Request<'_>) -> Result<Target> {
        match request.name {
            "find" => Target::of_find(FindRequest::parse(request)?),
            "count" => Target::of_count(CountRequest::parse(request)?),
            "update" => Target::of_write(request, "updates", "UPDATE"),
            "delete" => Target::of_write(request, "deletes", "DELETE"),
            name if NOT_YET.contains(&name) => Err(Error::not_implemented(format!("explain of {name}"))),
            name if table::find(name).is_some() => {
                Err(Error::new(Code::IllegalOperation, format!("Cannot explain cmd: {name}")))
            }
            name => {
                let message = format!("Explain failed due to unknown command: {name}");
                Err(Error::new(Code::CommandNotFound, message))
            }
        }
    }

    fn new(namespace: Namespace, query: Query) -> Target {
        Target {
            namespace,
            query,
            sort_limits: SortLimits::default(),
            output: Output::Documents,
            above: Vec::new(),
            rows_max: u64::MAX,
            is_fast_count: false,
            returns_rows: true,
        }
    }

    fn of_find(request: FindRequest) -> Result<Target> {
        let above = request.projection.as_ref().map(|projection| {
            let paths = projection.included_paths();
            let is_simple = paths.is_some_and(|paths| paths.iter().all(|path| !path.contains('.')));
            let mut fields = DocBuilder::new();
            fields.push("transformBy", RawDoc::from_validated(&request.projection_sent));
            let stage = if is_simple { "PROJECTION_SIMPLE" } else { "PROJECTION_DEFAULT" };
            Above { stage, fields: fields.finish(), returned: None }
        });
        let mut target = Target::new(request.namespace, request.query);
        target.above.extend(above);
        target.sort_limits = request.sort_limits;
        Ok(target)
    }

    fn of_count(request: CountRequest) -> Result<Target> {
        let mut target = Target::new(request.namespace, request.query);
        target.is_fast_count = request.counts_all;
        target.output = Output::Count;
        target.returns_rows = false;
        let fields = DocBuilder::new().finish();
        target.above.push(Above { stage: "COUNT", fields, returned: Some(0) });
        Ok(target)
    }

    fn of_write(request: &Request<'_>, list: &'static str, stage: &'static str) -> Result<Target> {
        let namespace = read_namespace(request)?;
        let invalid = |message: String| Error::new(Code::InvalidLength, message);
        let operations = match request.doc.get(list) {
            Some(Value::Array(operations)) => operations,
            _ => return Err(super::fields::missing(request.name, list)),
        };
        let (Some(Value::Document(operation)), 1) = (operations.get(0), operations.count()) else {
            let count = operations.count();
            return Err(invalid(format!("explained write batches must be of size 1, got {count}")));
        };
        let Some(Value::Document(filter)) = operation.get("q") else {
            return Err(super::fields::missing(&format!("{}.{list}", request.name), "q"));
        };
        let mut query = Query::of_filter(filter)?;
        query.hint = parse_hint(operation.get("hint"))?;
        let is_one = match operation.get(if stage == "UPDATE" { "multi" } else { "limit" }) {
            None => stage == "UPDATE",
            Some(Value::Bool(multi)) => !multi,
            Some(value) => super::fields::integer(&value) == Some(1),
        };
        let mut target = Target::new(namespace, query);
        target.rows_max = if is_one { 1 } else { u64::MAX };
        target.returns_rows = false;
        target.above.push(Above { stage, fields: DocBuilder::new().finish(), returned: Some(0) });
        Ok(target)
    }

    /// Appends `queryPlanner`.
    fn push_planner(&self, planned: Option<(&Collection, Plan, Vec<Plan>)>, doc: &mut DocBuilder) {
        doc.document("queryPlanner", |d| {
            d.push("namespace", self.namespace.full().as_str()).push("indexFilterSet", false);
            d.document("parsedQuery", |d| explain::push_filter(&self.query, d));
            d.push("maxIndexedOrSolutionsReached", false).push("maxIndexedAndSolutionsReached", false);
            d.push("maxScansToExplodeReached", false);
            let (winning, rejected) = match planned {
                Some((found, plan, rejected)) => {
                    (Some((found, plan)), rejected.into_iter().map(|plan| (found, plan)).collect())
                }
                None => (None, Vec::new()),
            };
            d.document("winningPlan", |d| self.push_stages(winning, d));
            d.array("rejectedPlans", |a| {
                for plan in rejected {
                    a.document(|d| self.push_stages(Some(plan), d));
                }
            });
        });
    }

    fn push_stages(&self, plan: Option<(&Collection, Plan)>, doc: &mut DocBuilder) {
        match plan {
            None => {
                doc.push("stage", "EOF");
            }
            Some(_) if self.is_fast_count => {
                doc.push("stage", "RECORD_STORE_FAST_COUNT");
            }
            Some((found, plan)) => {
                explain::push_plan(found, plan, self.sort_limits, self.output, &self.above, doc)
            }
        }
    }
}

/// The plan taken and those that were not, with the collection they are for.
type Planned = (std::rc::Rc<Collection>, Plan, Vec<Plan>);

impl Explain {
    fn plan(&self, cx: &mut Context<'_>) -> Step<Option<Planned>> {
        let Some(found) = collection(cx, &self.target.namespace)? else { return Ok(None) };
        let (plan, rejected) = plan::plan(&found, &self.target.query)?;
        Ok(Some((found, plan, rejected)))
    }

    /// Runs the plan for one step; whether it has ended.
    fn execute(&mut self, cx: &mut Context<'_>) -> Step<bool> {
        let Some((found, executor)) = &mut self.running else { return Ok(true) };
        check_alive(cx, &self.target.namespace, Some(&found.uuid), executor)?;
        let reader = cx.pager.reader();
        let mut exec = ExecContext::new(&reader, cx.spilled);
        let ended = loop {
            if self.rows >= self.target.rows_max {
                break true;
            }
            match executor.work(&mut exec)? {
                Work::Row(_) => self.rows += 1,
                Work::NeedTime => break false,
                Work::Eof => break true,
            }
            if exec.rows_spent >= ROWS_PER_STEP {
                break false;
            }
        };
        cx.rows_spent += exec.rows_spent;
        Ok(ended)
    }

    fn reply(&self, planned: Option<(&Collection, Plan, Vec<Plan>)>, now_ms: i64) -> Vec<u8> {
        ok_reply(|doc| {
            doc.push("explainVersion", "1");
            self.target.push_planner(planned, doc);
            if self.executes {
                doc.document("executionStats", |d| self.push_execution(now_ms, d));
            }
            doc.push("command", RawDoc::from_validated(&self.command));
        })
    }

    fn push_execution(&self, now_ms: i64, doc: &mut DocBuilder) {
        let mut totals = Totals::default();
        if let Some((_, executor)) = &self.running {
            totals = explain::totals(executor);
        }
        if !self.target.returns_rows {
            totals.returned = 0;
        }
        doc.push("executionSuccess", true);
        doc.push("nReturned", explain::number(totals.returned));
        doc.push("executionTimeMillis", explain::number(now_ms.saturating_sub(self.began_ms).max(0) as u64));
        doc.push("totalKeysExamined", explain::number(totals.keys_examined));
        doc.push("totalDocsExamined", explain::number(totals.docs_examined));
        doc.document("executionStages", |d| match &self.running {
            Some((found, executor)) => explain::push_execution(found, executor, &self.target.above, d),
            None => {
                let stage = if self.target.is_fast_count { "RECORD_STORE_FAST_COUNT" } else { "EOF" };
                d.push("stage", stage).push("nReturned", 0);
            }
        });
        if self.all_plans {
            doc.array("allPlansExecution", |_| {});
        }
    }
}

impl Running for Explain {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if self.running.is_none() {
            let planned = self.plan(cx)?;
            self.began_ms = cx.host.now_ms();
            let Some((found, plan, rejected)) = planned else {
                return Ok(Progress::Reply(self.reply(None, self.began_ms)));
            };
            if !self.executes || self.target.is_fast_count {
                return Ok(Progress::Reply(self.reply(Some((&found, plan, rejected)), self.began_ms)));
            }
            let executor = Executor::new(&found, plan, self.target.sort_limits, self.target.output);
            self.running = Some((found, executor));
        }
        if !self.execute(cx)? {
            return Ok(Progress::More);
        }
        let Some((found, plan, rejected)) = self.plan(cx)? else {
            return Ok(Progress::Reply(self.reply(None, self.began_ms)));
        };
        let now_ms = cx.host.now_ms();
        Ok(Progress::Reply(self.reply(Some((&found, plan, rejected)), now_ms)))
    }

    fn time_limit_ms(&self) -> Option<u64> {
        self.time_limit_ms
    }
}
