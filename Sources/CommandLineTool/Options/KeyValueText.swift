import Foundation
import StoreInspection
import Tandem

/// A key and its value as people and programs read them.
struct KeyValueText {
  let key: String
  let value: KeyValue
  var expiresAt: Date?

  init(_ key: String, _ value: KeyValue, expiresAt: Date? = nil) {
    self.key = key
    self.value = value
    self.expiresAt = expiresAt
  }

  var json: JSON {
    .members([
      "key": .string(key), "type": .string(value.kindName), "value": value.json,
      "expires": expiresAt.map { .string(DateText.display($0)) },
    ])
  }

  /// The value alone. A terminal must not be steered by what is stored; a pipe gets the text as it is.
  var plain: String {
    let text = value.displayText
    return Terminal.current.columns == nil ? text : DisplayText.visible(text)
  }

  static func table(_ texts: [KeyValueText]) -> TextTable {
    let showsExpiry = texts.contains { $0.expiresAt != nil }
    var table = TextTable([.init("key"), .init("type"), .init("value")] + (showsExpiry ? [.init("expires")] : []))
    table.rows = texts.map { text in
      let cells = [
        DisplayText.visible(text.key), text.value.kindName, DisplayText.visible(text.value.displayText),
      ]
      return showsExpiry ? cells + [text.expiresAt.map { LocalTime($0).text } ?? ""] : cells
    }
    return table
  }
}
