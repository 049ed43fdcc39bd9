import LivePage
import RecordStore
import StoreInspection

/// The parts of a question of the page, by their names. A part that is missing is a mistake of the page or of a program
/// that writes its questions by hand; the sentence names it.
struct PageQuestion {
  let json: JSON

  func text(_ name: String) throws(PageRefusal) -> String {
    guard let text = try textIfGiven(name) else { throw PageRefusal("the question lacks '\(name)'") }
    return text
  }

  /// Nil where it is left out, null or empty.
  func textIfGiven(_ name: String) throws(PageRefusal) -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let text = value.stringValue else { throw PageRefusal("'\(name)' is no text") }
    return text.isEmpty ? nil : text
  }

  func id(_ name: String = "id") throws -> RecordID { try RecordFinder.id(text(name)) }

  /// A whole number between 1 and `most`; `most` where it is left out.
  func count(_ name: String, most: Int) throws(PageRefusal) -> Int {
    guard let value = json[name], value != .null else { return most }
    guard let count = value.integerValue(as: Int.self), (1...most).contains(count) else {
      throw PageRefusal("'\(name)' is no number from 1 to \(most)")
    }
    return count
  }

  func numberIfGiven(_ name: String) throws(PageRefusal) -> UInt64? {
    guard let value = json[name], value != .null else { return nil }
    guard let number = value.integerValue(as: UInt64.self) else { throw PageRefusal("'\(name)' is no whole number") }
    return number
  }

  func isSet(_ name: String) -> Bool { json[name]?.boolValue ?? false }

  /// The values that a person entered, each a text or null.
  func statements() throws -> RecordInput {
    guard let members = json["fields"]?.objectValue else { throw PageRefusal("the question lacks 'fields'") }
    return try RecordInput(members.map { RecordStatement(typed: $0) })
  }
}
