//! `count`: how many documents match.

use super::count_request::CountRequest;
use super::cursor_reply::{check_alive, collection};
use super::running::{Access, Context, Progress, Running};
use super::{Request, ok_reply};
use crate::error::Result;
use crate::exec::{ExecContext, Executor, Output, SortLimits, Work, explain};
use crate::plan;
use crate::step::Step;

struct Count {
    request: CountRequest,
    time_limit_ms: Option<u64>,
    running: Option<([u8; 16], Executor)>,
    counted: u64,
}

/// Parses `count`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let time_limit_ms = request.time_limit_ms();
    Ok(Box::new(Count { request: CountRequest::parse(request)?, time_limit_ms, running: None, counted: 0 }))
}

fn reply(n: u64) -> Progress {
    Progress::Reply(ok_reply(|doc| {
        doc.push("n", explain::number(n));
    }))
}

impl Running for Count {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        if let Some((uuid, executor)) = &self.running {
            check_alive(cx, &self.request.namespace, Some(uuid), executor)?;
        } else {
            let Some(found) = collection(cx, &self.request.namespace)? else { return Ok(reply(0)) };
            if self.request.counts_all {
                let documents = found.records.stats(&cx.pager.reader())?.entries;
                return Ok(reply(self.request.of_all(documents)));
            }
            let (plan, _) = plan::plan(&found, &self.request.query)?;
            let executor = Executor::new(&found, plan, SortLimits::default(), Output::Count);
            self.running = Some((found.uuid, executor));
        }
        let Some((_, executor)) = &mut self.running else { return Ok(Progress::More) };
        let reader = cx.pager.reader();
        let mut exec = ExecContext::new(&reader, cx.spilled);
        let progress = loop {
            match executor.work(&mut exec)? {
                Work::Row(_) => self.counted += 1,
                Work::NeedTime => break Progress::More,
                Work::Eof => break reply(self.counted),
            }
            if exec.rows_spent >= crate::exec::ROWS_PER_STEP {
                break Progress::More;
            }
        };
        cx.rows_spent += exec.rows_spent;
        Ok(progress)
    }

    fn time_limit_ms(&self) -> Option<u64> {
        self.time_limit_ms
    }
}
