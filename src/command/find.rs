//! `find`: the documents that match, as the first batch of a cursor.

use super::Request;
use super::cursor_reply::{Batch, Filled, check_alive, collection, empty_reply};
use super::find_request::FindRequest;
use super::running::{Access, Context, Progress, Running};
use crate::error::Result;
use crate::exec::{Executor, OpenCursor, Output};
use crate::plan;
use crate::step::Step;

/// The documents of a first batch whose size is not given, as in MongoDB.
const FIRST_BATCH_COUNT: u64 = 101;

struct Find {
    request: FindRequest,
    time_limit_ms: Option<u64>,
    filling: Option<(OpenCursor, Batch)>,
}

/// Parses `find`.
pub fn parse(request: &Request<'_>) -> Result<Box<dyn Running>> {
    let time_limit_ms = request.time_limit_ms();
    Ok(Box::new(Find { request: FindRequest::parse(request)?, time_limit_ms, filling: None }))
}

impl Find {
    /// Plans the query; `false` if there is no collection.
    fn start(&mut self, cx: &mut Context<'_>) -> Step<bool> {
        let request = &self.request;
        let Some(found) = collection(cx, &request.namespace)? else { return Ok(false) };
        let (plan, _) = plan::plan(&found, &request.query)?;
        let cursor = OpenCursor {
            namespace: request.namespace.clone(),
            uuid: Some(found.uuid),
            executor: Executor::new(&found, plan, request.sort_limits, Output::Documents),
            projection: request.projection.clone(),
            shows_record_id: request.shows_record_id,
            no_time_limit: request.no_time_limit,
        };
        let batch = Batch::new(Some(request.batch_size.unwrap_or(FIRST_BATCH_COUNT)), cx.settings);
        self.filling = Some((cursor, batch));
        Ok(true)
    }
}

impl Running for Find {
    fn access(&self) -> Access {
        Access::Read
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Step<Progress> {
        match &self.filling {
            None => {
                if !self.start(cx)? {
                    return Ok(Progress::Reply(empty_reply(&self.request.namespace)));
                }
            }
            Some((cursor, _)) => check_alive(cx, &cursor.namespace, cursor.uuid.as_ref(), &cursor.executor)?,
        }
        let Some((cursor, batch)) = &mut self.filling else { return Ok(Progress::More) };
        let filled = batch.fill(cursor, cx)?;
        if filled == Filled::NotYet {
            return Ok(Progress::More);
        }
        let Some((cursor, batch)) = self.filling.take() else { return Ok(Progress::More) };
        let goes_on = filled == Filled::Full && !self.request.single_batch && !cursor.executor.is_eof();
        let id = goes_on.then(|| cx.cursors.open(cursor, cx.host));
        Ok(Progress::Reply(batch.reply("firstBatch", id, &self.request.namespace)))
    }

    fn time_limit_ms(&self) -> Option<u64> {
        self.time_limit_ms
    }
}
