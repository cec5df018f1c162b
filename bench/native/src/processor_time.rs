//! Processor time of the thread in place of the clock: what a benchmark costs, whatever else the machine does.

use cpu_time::ThreadTime;
use criterion::Criterion;
use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use std::time::Duration;

/// Measures the time that the thread was on a processor.
pub struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }

    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }

    fn add(&self, a: &Duration, b: &Duration) -> Duration {
        *a + *b
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &NanosecondsEach
    }
}

/// Times as the clock's, but per element rather than elements per second.
struct NanosecondsEach;

impl ValueFormatter for NanosecondsEach {
    fn scale_values(&self, typical: f64, values: &mut [f64]) -> &'static str {
        WallTime.formatter().scale_values(typical, values)
    }

    fn scale_throughputs(&self, _: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        if let Throughput::Elements(elements) = throughput {
            values.iter_mut().for_each(|value| *value /= *elements as f64);
        }
        "ns each"
    }

    fn scale_for_machines(&self, values: &mut [f64]) -> &'static str {
        WallTime.formatter().scale_for_machines(values)
    }
}

/// The configuration of all benchmarks.
pub fn criterion() -> Criterion<ProcessorTime> {
    Criterion::default().with_measurement(ProcessorTime)
}
