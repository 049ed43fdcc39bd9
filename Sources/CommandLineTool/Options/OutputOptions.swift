import ArgumentParser

/// How a command answers; the same for all.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Answer in JSON, one object a line.")
  var json = false
}
