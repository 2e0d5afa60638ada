//! What `--report` writes, without a browser.

use crate::run::{MP, Sandbox};
use expect_test::expect;

/// Two threads race, and an assertion fails: two violations.
pub const TWO: &str = "\
global x: i32 = 0
global y: i32 = 0
fn writer() {
  store.i32 x, 1
  store.rlx.i32 y, 1
  return
}
fn reader() {
  r = load.rlx.i32 y
  v = load.i32 x
  good = eq.i32 r, 0
  assert good, \"y is never seen\"
  return
}
threads writer(), reader()
";

#[test]
fn the_extension_says_what_is_written() {
    let sandbox = Sandbox::new().with("p.vm", TWO);
    let reports =
        "--report a.html --report a.svg --report a.dot --report a.sarif --report a.xml --report a.json";
    let run = sandbox.run(&format!("check --keep-going --jobs 1 {reports} p.vm"));
    assert_eq!((run.exit, run.stderr.as_str()), (Some(1), ""), "{}", run.stdout);
    let text = |name: &str| std::fs::read_to_string(sandbox.path().join(name)).unwrap();
    let starts = [
        ("a.html", "<!doctype html>"),
        ("a.svg", "<svg "),
        ("a.dot", "digraph "),
        ("a.sarif", "{\n  \"$schema\""),
        ("a.xml", "<?xml "),
        ("a.json", "{\n  \"version\""),
    ];
    for (name, start) in starts {
        assert!(text(name).starts_with(start), "{name}: {}", text(name));
    }
    let refused = sandbox.run("check --report a.pdf p.vm");
    assert_eq!(refused.exit, Some(2));
    assert!(refused.stderr.contains("must end with one of .html .svg .dot .sarif .xml .json"), "{refused:?}");
}

#[test]
fn the_page_holds_everything_and_asks_for_nothing() {
    let sandbox = Sandbox::new().with("p.vm", &TWO.replace("never seen", "</script><b>"));
    sandbox.run("check --keep-going --jobs 1 --report a.html p.vm");
    let page = std::fs::read_to_string(sandbox.path().join("a.html")).unwrap();
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org/").count()
    );
    assert!(!page.contains("https://") && !page.contains("src=") && !page.contains("<link"));
    let (_, data) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["verdict"], "violation");
    let kinds: Vec<_> = data["findings"].as_array().unwrap().iter().map(|finding| &finding["kind"]).collect();
    assert!(kinds.contains(&&"race".into()) && kinds.contains(&&"assertion".into()), "{kinds:?}");
    let race = &data["findings"][kinds.iter().position(|kind| **kind == "race").unwrap()];
    assert_eq!(race["all"].as_array().unwrap().iter().filter(|row| row[3] == 1).count(), 2);
    assert!(data["files"][0]["text"].as_str().unwrap().contains("</script><b>"));
}

#[test]
fn a_page_without_a_violation_says_so() {
    let sandbox = Sandbox::new().with("mp.litmus", &MP.replace("exists", "~exists"));
    let run = sandbox.run("check --model sc --report a.html --report a.svg mp.litmus");
    assert_eq!(run.exit, Some(0), "{run:?}");
    assert!(run.stderr.contains("a.svg is not written: there is no guilty execution to draw"), "{run:?}");
    let page = std::fs::read_to_string(sandbox.path().join("a.html")).unwrap();
    assert!(page.contains("\"verdict\":\"verified\"") && page.contains("\"outcomes\""));
}

#[test]
fn servers_read_junit() {
    let sandbox = Sandbox::new().with("p.vm", TWO).with("bad.vm", "fn main( {\n");
    sandbox.run("check --jobs 1 --report a.xml p.vm");
    let text = std::fs::read_to_string(sandbox.path().join("a.xml")).unwrap();
    let shape: String =
        text.split('"').enumerate().filter(|(nth, _)| nth % 2 == 0).map(|(_, part)| part).collect();
    assert!(text.contains("<failure type=\"race\" message=\"p.vm:"), "{text}");
    assert!(shape.contains("<testsuites tests= failures= errors= time=>"), "{shape}");
    let run = sandbox.run("check --report b.xml --report b.json bad.vm");
    assert_eq!(run.exit, Some(2));
    let text = std::fs::read_to_string(sandbox.path().join("b.xml")).unwrap();
    assert!(text.contains("<error type=\"input\" message=\"bad.vm:1:"), "{text}");
    let json = std::fs::read_to_string(sandbox.path().join("b.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&json).unwrap()["verdict"], "error");
}

#[test]
fn github_shows_violations_beside_the_source() {
    let sandbox = Sandbox::new().with("p.vm", TWO).with("bad.vm", "fn main( {\n");
    let lines = |run: crate::run::Run| -> String {
        run.stdout.lines().filter(|line| line.starts_with("::")).map(|line| format!("{line}\n")).collect()
    };
    expect![[r#"
        ::error file=p.vm,line=4,col=3,title=Atropos: race::data race on `x`
        ::error file=p.vm,line=12,col=3,title=Atropos: assertion::y is never seen
    "#]]
    .assert_eq(&lines(sandbox.run("check --keep-going --jobs 1 --format github p.vm")));
    expect![[r#"
        ::error file=bad.vm,line=1,col=10,title=Atropos::expected the name of a parameter, found `{`
    "#]]
    .assert_eq(&lines(sandbox.run("check --format github bad.vm")));
    let limited = "check --model sc --jobs 1 --max-executions 1 --format github p.vm";
    expect![[r#"
        ::warning file=p.vm,title=Atropos::inconclusive: stopped after 1 executions (--max-executions) before all executions were explored; no violation so far
    "#]]
    .assert_eq(&lines(sandbox.run(limited)));
}
