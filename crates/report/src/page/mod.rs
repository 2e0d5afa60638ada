//! A page to look at: one HTML file with everything in it, and nothing from anywhere else.
//!
//! `page.html` is the frame, `page.css` its looks, `page.js` and the scripts beside it draw; [`data`] is what they draw.
//! The browser gets a content security policy that allows no requests at all.

mod data;

use crate::summary::Summary;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// The scripts, in the order in which they need each other.
const SCRIPTS: [&str; 5] = [
    include_str!("execution.js"),
    include_str!("picture.js"),
    include_str!("source.js"),
    include_str!("panels.js"),
    include_str!("page.js"),
];

/// The page of a check. `text_of` knows the text of source files.
pub fn render(summary: &Summary, text_of: &dyn Fn(&str) -> Option<String>) -> String {
    let data = serde_json::to_string(&data::Page::of(summary, text_of)).expect("strings and numbers only");
    let title = format!("{}: Atropos", summary.setup.file);
    let parts = [
        ("title", escaped(&title)),
        ("style", STYLE.to_string()),
        ("script", format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat())),
        // Nothing in a text may end the element that holds it.
        ("data", data.replace('<', "\\u003c")),
    ];
    let mut page =
        String::with_capacity(FRAME.len() + parts.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut rest = FRAME;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").expect("the frame closes what it opens");
        let part = parts.iter().find(|(known, _)| *known == name).expect("the frame uses known parts");
        page.push_str(before);
        page.push_str(&part.1);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Text as it is written in HTML and SVG.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
