import Foundation
import StoreInspection

/// A JSON Schema with the keywords that ours use; any other traps, so that none is passed over.
///
/// Stricter than the standard in one point: a member that an object's schema does not name is a violation, unless
/// `additionalProperties` says otherwise. Ours let readers accept more, and our answers must not have more.
struct JSONSchema {
  private let root: JSON

  init(_ root: JSON) { self.root = root }

  /// What `tandem schema-of` prints for a command.
  init(of command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    self.init(try JSON(parsing: Tandem().run(arguments: ["schema-of"] + words).output))
  }

  func violations(of value: JSON) -> [String] { violations(of: value, root, at: "") }

  private func violations(of value: JSON, _ schema: JSON, at place: String) -> [String] {
    guard case .object(let keywords) = schema else { return schema == .bool(false) ? ["\(place) is not allowed"] : [] }
    return keywords.flatMap { keyword in
      violations(of: value, keyword.name, keyword.value, schema, at: place)
    }
  }

  private func violations(
    of value: JSON, _ keyword: String, _ argument: JSON, _ schema: JSON, at place: String
  ) -> [String] {
    func unless(_ holds: Bool, _ problem: String) -> [String] {
      holds ? [] : ["\(place.isEmpty ? "the value" : place) \(problem): \(value)"]
    }
    switch keyword {
    case "$schema", "$defs", "title", "description": return []
    case "$ref": return violations(of: value, resolved(argument), at: place)
    case "type": return unless(value.kinds.contains(argument.stringValue ?? ""), "is no \(argument)")
    case "const": return unless(value == argument, "is not \(argument)")
    case "enum": return unless(argument.arrayValue?.contains(value) ?? false, "is none of \(argument)")
    case "minimum": return unless(value.number.map { $0 >= argument.number ?? 0 } ?? true, "is too small")
    case "pattern": return unless(matches(value, argument), "does not match \(argument)")
    case "oneOf", "anyOf":
      let outcomes = (argument.arrayValue ?? []).map { violations(of: value, $0, at: place) }
      let count = outcomes.count(where: \.isEmpty)
      return count == 1 || count > 1 && keyword == "anyOf"
        ? [] : ["\(place) fits \(count) of \(outcomes.count): \(outcomes.joined().joined(separator: "; "))"]
    case "not": return unless(!violations(of: value, argument, at: place).isEmpty, "is what it must not be")
    case "items":
      return (value.arrayValue ?? []).enumerated().flatMap { violations(of: $1, argument, at: "\(place)[\($0)]") }
    case "required":
      return (argument.arrayValue ?? []).compactMap(\.stringValue).flatMap { name in
        unless(value.objectValue.map { $0.contains { $0.name == name } } ?? true, "lacks \(name)")
      }
    case "properties": return memberViolations(of: value, argument, schema["additionalProperties"], at: place)
    case "additionalProperties":
      return schema["properties"] == nil ? memberViolations(of: value, .object([]), argument, at: place) : []
    default: preconditionFailure("the schema has the keyword \(keyword), which this validator does not know")
    }
  }

  private func memberViolations(of value: JSON, _ properties: JSON, _ others: JSON?, at place: String) -> [String] {
    (value.objectValue ?? []).flatMap { member in
      violations(of: member.value, properties[member.name] ?? others ?? .bool(false), at: "\(place).\(member.name)")
    }
  }

  private func resolved(_ reference: JSON) -> JSON {
    let name = (reference.stringValue ?? "").split(separator: "/").last.map(String.init) ?? ""
    guard let schema = root["$defs"]?[name] else { preconditionFailure("the schema has no definition of \(reference)") }
    return schema
  }

  private func matches(_ value: JSON, _ pattern: JSON) -> Bool {
    guard let text = value.stringValue, let pattern = pattern.stringValue else { return true }
    return text.range(of: pattern, options: .regularExpression) != nil
  }
}

extension JSON {
  fileprivate var number: Double? {
    if case .number(let digits) = self { Double(digits) } else { nil }
  }

  /// The types of JSON Schema that the value has.
  fileprivate var kinds: [String] {
    switch self {
    case .null: ["null"]
    case .bool: ["boolean"]
    case .number(let digits): digits.contains { ".eE".contains($0) } ? ["number"] : ["number", "integer"]
    case .string: ["string"]
    case .array: ["array"]
    case .object: ["object"]
    }
  }
}
