import StoreInspection

/// A value that is given to a field or a relationship: `title=Bread` as people type it, or a member of a JSON object.
struct RecordStatement: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    /// Read by the field's type; nothing means no value, but for text.
    case text(String)
    case json(JSON)
  }

  var name: String
  var value: Value

  /// `name=text`, or `name:=json`. The sentence of what is wrong otherwise.
  init(word: String) throws(CommandFailure) {
    guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
      throw CommandFailure(
        "'\(DisplayText.visible(word))' gives no field a value; write it as title=Bread, or with JSON as title:=null")
    }
    let text = String(word[word.index(after: sign)...])
    let before = word.index(before: sign)
    guard word[before] == ":", before > word.startIndex else {
      (name, value) = (String(word[..<sign]), .text(text))
      return
    }
    name = String(word[..<before])
    do {
      value = .json(try JSON(parsing: text))
    } catch {
      throw CommandFailure("the value of '\(name)' is no JSON: \(error); write text as \(name)=…")
    }
  }

  init(_ member: JSON.Member) {
    (name, value) = (member.name, .json(member.value))
  }

  /// A member whose text is read by the field's type, as in `name=text`, and whose null is no value.
  init(typed member: JSON.Member) {
    (name, value) = (member.name, member.value.stringValue.map { .text($0) } ?? .json(member.value))
  }
}
