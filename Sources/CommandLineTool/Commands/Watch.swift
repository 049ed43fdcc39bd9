import ArgumentParser
import Dispatch
import Foundation
import RecordStore
import StoreInspection
import Tandem

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print keys and values, and again whenever they change.",
    discussion: """
      First what is there, then each change by any process or device; a key that goes
      is printed without a value. Of changes that follow each other fast the last is
      shown. Ends with Ctrl-C and exit code 0. Opens the suite for reading only.

      Example: tandem watch theme
      """)

  @Argument(help: ArgumentHelp("The keys; all if left out.", valueName: "key"), transform: GivenKey.text)
  var keys: [String] = []
  @Option(help: ArgumentHelp("Only keys that begin with this.", valueName: "text"))
  var prefix = ""
  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let location = try suite.location()
    let store = try suite.openForReading()
    let signal = DispatchSemaphore(value: 0)
    let observation = store.store.observeCommits { _ in signal.signal() }
    defer { observation.cancel() }
    try Interruption.shared.following(wake: { signal.signal() }) {
      var shown: [String: KeyValue] = [:]
      while !Interruption.shared.isRequested {
        shown = try show(store, after: shown)
        try Console.standard.flush()
        // A store that is deleted sends no signal any more.
        guard StoreLocation.isStore(location) else {
          throw CommandFailure(
            "the store at \(location.path) is not there any more; watch the one that takes its place")
        }
        // Values that expire send none either.
        _ = signal.wait(timeout: .now() + 1)
      }
    }
  }

  private func show(_ store: KeyValueStore, after shown: [String: KeyValue]) throws -> [String: KeyValue] {
    let current = try store.dictionaryRepresentation(prefix: prefix)
      .filter { keys.isEmpty || keys.contains($0.key) }
    for key in Set(current.keys).union(shown.keys).sorted() where current[key] != shown[key] {
      try show(key, current[key])
    }
    return current
  }

  private func show(_ key: String, _ value: KeyValue?) throws {
    guard output.json else {
      return try Console.standard.print(
        DisplayText.visible(key) + (value.map { " = " + DisplayText.visible($0.displayText) } ?? " is gone"))
    }
    try Console.standard.print(value.map { KeyValueText(key, $0).json } ?? ["removed": .string(key)])
  }
}
