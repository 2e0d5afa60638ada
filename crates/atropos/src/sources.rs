//! The program's source in its reports.

use atropos_event::Place;
use atropos_report::Summary;
use std::collections::HashMap;

/// The text of a source file as the compiler names it. A relative name starts in the folder of the workspace, and tests
/// run in a folder below.
pub(crate) fn text(file: &str) -> Option<String> {
    let folder = std::env::current_dir().unwrap_or_default();
    folder.ancestors().find_map(|folder| std::fs::read_to_string(folder.join(file)).ok())
}

/// Quotes the source in all executions of a summary.
pub(crate) fn quote(summary: &mut Summary) {
    let mut files: HashMap<String, Vec<String>> = HashMap::new();
    let mut line = |file: &str, number: u32| {
        let lines = files
            .entry(file.to_string())
            .or_insert_with(|| text(file).unwrap_or_default().lines().map(str::to_string).collect());
        lines.get((number as usize).checked_sub(1)?).cloned()
    };
    for trace in summary.traces_mut() {
        let mut fill = |place: &mut Place| {
            if let Some(source) = place.source.as_ref().filter(|_| place.text.is_empty()) {
                place.text = line(&source.file, source.line).unwrap_or_default().trim().to_string();
            }
        };
        trace.events.iter_mut().for_each(|event| fill(&mut event.place));
        let stops = trace.threads.iter_mut().filter_map(|thread| thread.stop.as_mut());
        stops.for_each(|stop| fill(&mut stop.place));
        trace.quote_calls(&mut line);
    }
}
