import ArgumentParser
import Foundation
import StoreInspection
import Tandem

extension Suites {
  struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set the keys of a suite from a JSON object.",
      discussion: """
        Reads what 'tandem suites export' writes; with --plain any JSON object without
        null. All keys are set in one save, or none. Other keys stay, unless --replace
        is given. The suite is created when it is missing.

        Example: tandem suites import settings.json
        """)

    @Argument(
      help: ArgumentHelp("The file; standard input if left out.", valueName: "file"), completion: .file(),
      transform: GivenPath.text)
    var file: String?
    @Flag(help: "Values alone, without their kinds: text, numbers, Booleans, arrays and objects.")
    var plain = false
    @Flag(help: "Remove the keys that the file does not have.")
    var replace = false
    @OptionGroup var suite: SuiteOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let data = try input()
      let values = plain ? try plainValues(data) : [:]
      if !plain { try check(data) }
      let store = try suite.openForWriting()
      if plain {
        try store.transaction { edit in
          if replace { edit.removeAll() }
          for (key, value) in values { edit.set(value, forKey: key) }
        }
        try show(values.count)
      } else {
        try show(try store.importJSON(data, replacing: replace).count)
      }
    }

    private func input() throws -> Data {
      guard let file, file != "-" else { return try StandardInput.read() }
      return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    private var name: String { file.map { $0 == "-" ? "standard input" : $0 } ?? "standard input" }

    /// Before a suite is made.
    private func check(_ data: Data) throws {
      do {
        try KeyValueStore.checkExport(data)
      } catch is DecodingError {
        throw CommandFailure("\(name) is no export of a suite; --plain takes JSON values without their kinds")
      }
      do {
        try refuseLoss(try JSON(parsingUTF8: data))
      } catch is JSON.SyntaxError {
        // Deeper than this reader goes, and an export all the same.
      }
    }

    private func plainValues(_ data: Data) throws -> [String: KeyValue] {
      let json = try json(data)
      try refuseLoss(json)
      for member in json.objectValue ?? [] {
        guard let digits = member.value.lostNumber else { continue }
        throw CommandFailure(
          "no value keeps all digits of \(DisplayText.cut(digits, to: 60)), which \(name) gives "
            + "'\(DisplayText.visible(member.name))'; put the number between quotes")
      }
      guard case .dictionary(let values) = KeyValue(json: json) else { throw noObject }
      return values
    }

    private var noObject: CommandFailure {
      CommandFailure("\(name) is no JSON object without null; give one such as {\"theme\":\"dark\"}")
    }

    private func json(_ data: Data) throws -> JSON {
      do {
        return try JSON(parsingUTF8: data)
      } catch  where error.isNotUTF8 {
        let place = error.member.map { "the value of '\(DisplayText.visible($0))' in \(name)" } ?? "a key in \(name)"
        throw CommandFailure("\(place) is not UTF-8; correct the file, or keep bytes as base64")
      } catch {
        throw noObject
      }
    }

    /// One of two values of a key would be kept, and nobody could tell which.
    private func refuseLoss(_ json: JSON) throws(CommandFailure) {
      guard let key = json.repeatedName else { return }
      throw CommandFailure("\(name) gives '\(DisplayText.visible(key))' two values; remove one")
    }

    private func show(_ count: Int) throws {
      if output.json {
        try Console.standard.print(["imported": .integer(count)])
      } else {
        try Console.standard.print("\(DisplayText.count(count, "key")) imported")
      }
    }
  }
}
