import Harnesses

/// The harness that the program's first argument names. Apart from the program's own code, which is the main actor's:
/// libFuzzer calls from C.
enum ChosenHarness {
  static let name = CommandLine.arguments.dropFirst().first ?? ""
  static let harness = Harness.named(name)
}
