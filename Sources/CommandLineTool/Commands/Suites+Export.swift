import ArgumentParser
import Foundation
import StoreInspection
import Tandem

extension Suites {
  struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write all keys and values of a suite as one JSON object.",
      discussion: """
        Each value has its kind, as in {"theme":{"string":"dark"}}, and 'tandem suites
        import' gives back the same, with the ends of values that expire. --plain
        writes values alone, as in {"theme":"dark"}, dates and data as text. Opens the
        suite for reading only.

        Example: tandem suites export > settings.json
        """)

    @Flag(help: "Values alone, without their kinds.")
    var plain = false
    @OptionGroup var suite: SuiteOptions

    func run() throws {
      let store = try suite.openForReading()
      // Also where it is not printed: it refuses to leave out what a later build wrote.
      let text = String(decoding: try store.exportJSON(), as: UTF8.self)
      if plain {
        try Console.standard.print(KeyValue.dictionary(try store.dictionaryRepresentation()).json)
      } else {
        try Console.standard.print(text)
      }
    }
  }
}
