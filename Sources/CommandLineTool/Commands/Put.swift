import ArgumentParser
import Foundation
import StoreInspection
import Tandem

struct Put: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Set the values of keys, durably.",
    discussion: """
      Several pairs are saved together. A key alone takes its value from standard
      input, less one line end at its end. The suite is created when it is missing.
      Between devices the later write of a key wins.

      --if and --if-absent set the value only where the key holds what is expected,
      and otherwise end with exit code 1; nothing is then written. They hold among
      the processes of this device. --expires counts by the clock of each device that
      reads.

      Example: tandem put theme dark size 12
      """)

  @Argument(
    help: ArgumentHelp("Keys and values; those that begin with a minus stand after --.", valueName: "key value"))
  var words: [String]
  @Option(help: "The kind of the values: string, bool, integer, double, date, data (base64), url or json.")
  var type = KeyValueType.string
  @Option(help: ArgumentHelp("Set the key only if it holds this value, of the same type.", valueName: "value"))
  var `if`: String?
  @Flag(help: "Set the key only if it has no value.")
  var ifAbsent = false
  @Option(help: ArgumentHelp("Read as absent from then on.", valueName: "90s|30m|12h|7d|2030-01-31|time"))
  var expires: Expiry?
  @OptionGroup var suite: SuiteOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if words.isEmpty { throw ValidationError("give a key and its value, such as: tandem put theme dark") }
    guard words.count == 1 || words.count.isMultiple(of: 2) else {
      throw ValidationError(
        "\(words.count) words are no pairs of key and value; quote a value that has blanks, and name a suite by --suite"
      )
    }
    let keys = stride(from: 0, to: words.count, by: 2).map { words[$0] }
    if keys.contains("") { throw ValidationError("a key has at least one character") }
    if Set(keys).count < keys.count { throw ValidationError("a key is given twice; give each once") }
    if `if` != nil && ifAbsent { throw ValidationError("--if and --if-absent exclude each other") }
    if (`if` != nil || ifAbsent) && keys.count > 1 { throw ValidationError("--if and --if-absent take one key") }
    for text in stride(from: 1, to: words.count, by: 2).map({ words[$0] }) + [`if`].compactMap(\.self) {
      _ = try value(of: text)
    }
  }

  func run() throws {
    let pairs = try pairs()
    let expiresAt = expires?.date(from: Date())
    let store = try suite.openForWriting()
    if `if` != nil || ifAbsent {
      let (key, value) = pairs[0]
      guard
        try store.compareAndSet(key, expecting: `if`.map { try self.value(of: $0) }, to: value, expiresAt: expiresAt)
      else {
        throw CommandFailure(
          "\(suite.suite) has another value for '\(DisplayText.visible(key))' than was expected; 'tandem get' shows it",
          status: .found)
      }
    } else {
      try store.transaction { edit in
        for (key, value) in pairs { edit.set(value, forKey: key, expiresAt: expiresAt) }
      }
    }
    guard output.json else { return }
    for (key, value) in pairs {
      try Console.standard.print(KeyValueText(key, value, expiresAt: expiresAt).json)
    }
  }

  private func pairs() throws -> [(String, KeyValue)] {
    if words.count == 1 { return [(words[0], try value(of: KeyValueInput.standard(for: type)))] }
    return try stride(from: 0, to: words.count, by: 2).map { (words[$0], try value(of: words[$0 + 1])) }
  }

  private func value(of text: String) throws -> KeyValue {
    guard let value = type.value(of: text) else {
      if let digits = type.lostNumber(in: text) {
        throw ValidationError(
          "no value keeps all digits of \(DisplayText.cut(digits, to: 60)) in the JSON; put the number between quotes")
      }
      let shown = DisplayText.cut(DisplayText.visible(text), to: 60)
      throw ValidationError("'\(shown)' is no \(type.rawValue); give \(type.example)")
    }
    return value
  }
}

/// A value that a program hands over.
enum KeyValueInput {
  /// All of standard input, less one line end; of base64, which tools write in lines, all of them.
  static func standard(for type: KeyValueType) throws -> String {
    let data = try StandardInput.read()
    // A byte order mark is part of the value.
    guard var text = String(validating: data, as: UTF8.self) else {
      throw CommandFailure("standard input is no UTF-8 text; encode data with 'base64' and put it with --type data")
    }
    if type == .data { return text.filter { !$0.isWhitespace } }
    if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
    return text
  }
}
