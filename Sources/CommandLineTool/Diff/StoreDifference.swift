import RecordStore
import StoreInspection

/// A record that two stores do not have alike.
struct StoreDifference {
  enum Kind: String {
    case changed, onlyInFirst, onlyInSecond
  }

  struct Field {
    var name: String
    /// Nil where the value is not on this device.
    var first: JSON?
    var second: JSON?
    /// As people read them.
    var firstText: String
    var secondText: String
  }

  var kind: Kind
  var entity: String
  var id: RecordID
  /// By which people know it; nil without one.
  var name: String?
  /// The differing fields of a changed record.
  var fields: [Field] = []

  var json: JSON {
    .members([
      "kind": .string(kind.rawValue), "entity": .string(entity), "id": .string(id.description),
      "fields": kind == .changed
        ? .array(fields.map { .members(["field": .string($0.name), "first": $0.first, "second": $0.second]) }) : nil,
    ])
  }

  func lines(_ first: String, _ second: String, terminal: Terminal) -> [String] {
    let head = "\(entity) \(id)" + (name.map { " \($0)" } ?? "")
    switch kind {
    case .onlyInFirst: return [terminal.styled("- \(head): only in \(DisplayText.visible(first))", .red)]
    case .onlyInSecond: return [terminal.styled("+ \(head): only in \(DisplayText.visible(second))", .green)]
    case .changed: return ["~ \(head)"] + fields.map { "    \($0.name): \($0.firstText) → \($0.secondText)" }
    }
  }

  static func summary(_ differences: [StoreDifference], _ first: String, _ second: String) -> String {
    guard !differences.isEmpty else { return "no record differs" }
    let (left, right) = (DisplayText.visible(first), DisplayText.visible(second))
    func counted(_ kind: Kind, _ singular: String, _ plural: String) -> String? {
      let count = differences.count { $0.kind == kind }
      return count == 0 ? nil : "\(DisplayText.count(count, "record")) \(count == 1 ? singular : plural)"
    }
    return [
      counted(.changed, "differs", "differ"), counted(.onlyInFirst, "only in \(left)", "only in \(left)"),
      counted(.onlyInSecond, "only in \(right)", "only in \(right)"),
    ].compactMap(\.self).joined(separator: ", ")
  }
}
