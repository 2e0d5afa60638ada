//! The book: every command in it is run, and answers as the book says.
//!
//! A block of `console` begins with a command in the folder of the book's examples; the rest is its output.
//! `UPDATE_EXPECT=1` rewrites the output. Commands about Rust programs need the rustc that Atropos knows.

use crate::run::Sandbox;
use std::path::{Path, PathBuf};
use std::process::Command;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book")
}

/// The pages that the summary lists.
fn pages() -> Vec<PathBuf> {
    let summary = std::fs::read_to_string(book().join("src/SUMMARY.md")).unwrap();
    let names = summary.split('(').skip(1).map(|rest| rest.split_once(')').expect("a link").0);
    names.map(|name| book().join("src").join(name)).collect()
}

/// The output of a command, with the same time always.
fn answer(sandbox: &Sandbox, command: &str) -> String {
    let args = command.strip_prefix("atropos ").expect("the book runs atropos");
    let run = sandbox.run(args);
    let lines = run.stdout.lines().map(|line| match line.split_once(" blocked, in ") {
        Some((counts, _)) => format!("{counts} blocked, in 0.05 s\n"),
        None => format!("{line}\n"),
    });
    lines.collect::<String>() + &run.stderr
}

fn has_rustc() -> bool {
    let version = Command::new("rustc").arg("-V").output().map(|output| output.stdout).unwrap_or_default();
    version.starts_with(b"rustc 1.95.")
}

/// The page with the output of its commands as it is now.
fn answered(sandbox: &Sandbox, page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        text += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        let command = lines.next().and_then(|line| line.strip_prefix("$ ")).expect("a command");
        let before: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let answer = if command.contains(".rs") && !has_rustc() {
            before.iter().skip(1).map(|line| format!("{line}\n")).collect()
        } else {
            answer(sandbox, command)
        };
        text += &format!("$ {command}\n\n{answer}```\n");
    }
    text
}

#[test]
fn every_command_answers_as_the_book_says() {
    let mut sandbox = Sandbox::new();
    for entry in std::fs::read_dir(book().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        sandbox = sandbox.with(name, &std::fs::read_to_string(&path).unwrap());
    }
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        let now = answered(&sandbox, &text);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&page, now).unwrap();
        } else {
            assert!(text == now, "{} differs: run this test with UPDATE_EXPECT=1\n{now}", page.display());
        }
    }
}

#[test]
fn the_book_is_complete() {
    let listed = pages();
    for entry in std::fs::read_dir(book().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let is_page =
            path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("SUMMARY.md");
        assert!(!is_page || listed.iter().any(|page| page.ends_with(path.file_name().unwrap())), "{path:?}");
    }
    for page in listed {
        let text = std::fs::read_to_string(&page).unwrap();
        let includes = text.split("{{#include ").skip(1).map(|rest| rest.split_once("}}").unwrap().0);
        let images = text.split("](images/").skip(1).map(|rest| rest.split_once(')').unwrap().0);
        let paths = includes.map(PathBuf::from).chain(images.map(|image| Path::new("images").join(image)));
        for path in paths {
            assert!(book().join("src").join(&path).is_file(), "{} needs {path:?}", page.display());
        }
    }
}
