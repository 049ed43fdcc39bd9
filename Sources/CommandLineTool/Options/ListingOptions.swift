import ArgumentParser

/// How a command writes the rows that it lists; the same for all commands that list rows.
struct ListingOptions: ParsableArguments {
  @Flag(help: "Answer in JSON, one object a line.")
  var json = false
  @Flag(help: "Answer in CSV (RFC 4180), with a heading; dates are in UTC.")
  var csv = false
  @Flag(help: "Answer in columns separated by tabs, with a heading.")
  var tsv = false
  @Flag(help: "One value a line, as where the terminal is too narrow for a table.")
  var vertical = false
  @OptionGroup var paging: PagingOptions

  func validate() throws {
    if [json, csv, tsv, vertical].count(where: { $0 }) > 1 {
      throw ValidationError("--json, --csv, --tsv and --vertical exclude each other")
    }
  }

  var mode: ListingMode {
    if json { return .json }
    if csv { return .csv }
    if tsv { return .tsv }
    return vertical ? .vertical : .table
  }

  /// People get names beside ids, and the time of the place where they are.
  var isForPeople: Bool { mode == .table || mode == .vertical }
}

/// Whether long answers go through a pager.
struct PagingOptions: ParsableArguments {
  @Flag(help: "Write to the terminal itself, also what is longer than it.")
  var noPager = false
}
