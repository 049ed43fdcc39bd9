import ArgumentParser
import Foundation
import StoreInspection
import Tandem

/// The kinds of values that can be given on the command line.
enum KeyValueType: String, CaseIterable, ExpressibleByArgument {
  case string, bool, integer, double, date, data, url, json

  /// Nil where the text is no such value.
  func value(of text: String) -> KeyValue? {
    switch self {
    case .string: .string(text)
    case .bool:
      ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false][text.lowercased()]
        .map { .bool($0) }
    case .integer: Int(text).map { .integer($0) }
    case .double: NumberText.double(text).map { .double($0) }
    case .date: DateText.parse(text).map { .date($0) }
    case .data: Data(base64Encoded: text).map { .data($0) }
    case .url: URL(string: text).map { .url($0) }
    case .json: KeyValueType.parse(text).flatMap { KeyValue(json: $0) }
    }
  }

  private static func parse(_ text: String) -> JSON? {
    do {
      return try JSON(parsing: text)
    } catch {
      return nil
    }
  }

  /// The digits of a number in the text that no value keeps; nil without one.
  func lostNumber(in text: String) -> String? {
    self == .json ? KeyValueType.parse(text)?.lostNumber : nil
  }

  /// An example of a value of the type.
  var example: String {
    switch self {
    case .string: "any text"
    case .bool: "true or false"
    case .integer: "a whole number, such as 42"
    case .double: "a number, such as 1.5"
    case .date: "a date, such as 2026-11-21T08:30:00Z"
    case .data: "base64"
    case .url: "a URL"
    case .json: "JSON without null, such as [1, \"two\"]"
    }
  }
}

extension JSON {
  /// The digits of the first number here that neither an integer nor a double keeps.
  var lostNumber: String? {
    switch self {
    case .null, .bool, .string: nil
    case .number(let digits): KeyValue(json: self) == nil ? digits : nil
    case .array(let elements): elements.lazy.compactMap(\.lostNumber).first
    case .object(let members): members.lazy.compactMap(\.value.lostNumber).first
    }
  }

  /// The name of a member that an object here has twice.
  var repeatedName: String? {
    switch self {
    case .null, .bool, .string, .number: return nil
    case .array(let elements): return elements.lazy.compactMap(\.repeatedName).first
    case .object(let members):
      var names: Set<String> = []
      let repeated = members.first { !names.insert($0.name).inserted }?.name
      return repeated ?? members.lazy.compactMap(\.value.repeatedName).first
    }
  }
}

extension KeyValue {
  /// The first whole number behind which doubles no longer hold each one.
  private static let firstLeap: Double = 9_007_199_254_740_992

  /// Plain JSON as a value; nil for null, which is no value, and for a large number whose digits no double keeps.
  init?(json: JSON) {
    switch json {
    case .null: return nil
    case .bool(let value): self = .bool(value)
    case .number(let digits):
      if let value = Int(digits) {
        self = .integer(value)
      } else if let value = NumberText.double(digits),
        abs(value) < KeyValue.firstLeap || NumberText.isHeldByDouble(digits)
      {
        self = .double(value)
      } else {
        return nil
      }
    case .string(let value): self = .string(value)
    case .array(let elements):
      let values = elements.compactMap { KeyValue(json: $0) }
      guard values.count == elements.count else { return nil }
      self = .array(values)
    case .object(let members):
      let values = members.compactMap { member in KeyValue(json: member.value).map { (member.name, $0) } }
      guard values.count == members.count else { return nil }
      self = .dictionary(Dictionary(values) { _, last in last })
    }
  }

  /// The name of the kind, as in the stored form.
  var kindName: String {
    switch self {
    case .bool: "bool"
    case .integer: "integer"
    case .double: "double"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .url: "url"
    case .array: "array"
    case .dictionary: "dictionary"
    case .encoded: "encoded"
    }
  }

  /// Plain JSON, as in dumps: dates as text, data as base64.
  var json: JSON {
    switch self {
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .double(let value): value.isFinite ? .number(value.description) : .string("\(value)")
    case .string(let value), .encoded(let value): .string(value)
    case .date(let value): .string(DateText.display(value))
    case .data(let value): .string(value.base64EncodedString())
    case .url(let value): .string(value.absoluteString)
    case .array(let values): .array(values.map(\.json))
    case .dictionary(let values): .object(values.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.json) })
    }
  }

  /// As people read it; text stays as it is.
  var displayText: String { json.stringValue ?? json.description }
}
