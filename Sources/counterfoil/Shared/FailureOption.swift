import ArgumentParser

/// The option `--json` of commands whose results have one format with and without it.
struct FailureOption: ParsableArguments {
    @Flag(help: "Print a failure as a JSON object too. Results are printed as without this option.")
    var json = false
}
