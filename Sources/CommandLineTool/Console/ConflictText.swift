import ArgumentParser
import Foundation
import RecordStore
import RecordSync
import StoreInspection
import Tandem

/// An entry of the conflict log as people and programs read it. Times are local for people, UTC for programs.
struct ConflictText {
  private let details: ConflictDetails
  /// The name of a key of a ``KeyValueStore``, which nobody knows by the id of its record.
  private let name: KeyValueName?
  private var conflict: Conflict { details.conflict }

  /// A value of a list is no longer than this, wherever it is written; `show` and JSON have it whole.
  private static let listedColumns = 60

  init(_ details: ConflictDetails, in store: RecordStore) throws {
    self.details = details
    name =
      details.entityName == KeyValueName.entityName
      ? try store.read { try KeyValueName(of: details.conflict.record, in: $0) } : nil
  }

  static func table(_ conflicts: [ConflictText]) -> TextTable {
    var table = TextTable([
      .init("id"), .init("when"), .init("what"), .init("record"), .init("lost"), .init("lost by"), .init("won by"),
    ])
    table.rows = conflicts.map { text in
      [
        text.conflict.id, LocalTime(text.details.loser.date).text, text.title, text.record, text.lostValues,
        text.who(text.details.loser), text.who(text.details.winner),
      ]
    }
    return table
  }

  /// The event, the possible steps, and both sides of each value.
  var lines: [String] {
    let logged = Date(timeIntervalSince1970: Double(conflict.loggedAtMilliseconds) / 1000)
    let head = [
      "id       \(conflict.id)",
      "what     \(title)",
      name == nil ? "record   \(record)" : "key      \(record)",
      "lost     \(LocalTime(details.loser.date).text) by \(who(details.loser))",
      "won      \(LocalTime(details.winner.date).text) by \(who(details.winner))",
      "noticed  \(LocalTime(logged).text)",
      "why      \(explanation)",
      "restore  \(remedy)",
    ]
    let fields = zip(details.fieldNames, conflict.fields).flatMap { name, field in
      [name, "  lost   \(quoted(field.lost))", "  won    \(quoted(field.winning))"]
    }
    return head + fields
  }

  /// `Item 0191…`, or suite and key.
  var record: String {
    guard let name else { return "\(details.entityName) \(conflict.record)" }
    return "\(DisplayText.visible(name.suite)) \(DisplayText.visible(name.key))"
  }

  var json: JSON {
    .members([
      "id": .string(conflict.id), "kind": .string("\(conflict.kind)"), "entity": .string(details.entityName),
      "record": .string(conflict.record.description), "suite": name.map { .string($0.suite) },
      "key": name.map { .string($0.key) },
      "loggedAt": .string(DisplayText.date(milliseconds: conflict.loggedAtMilliseconds)),
      "lostStamp": .string(conflict.lostStamp.text), "winningStamp": .string(conflict.winningStamp.text),
      "loser": side(details.loser), "winner": side(details.winner),
      "fields": .array(
        zip(details.fieldNames, conflict.fields).map { name, field in
          ["field": .string(name), "lost": field.lost.programJSON, "winning": field.winning.programJSON]
        }),
    ])
  }

  /// For a person: the devices that lost and won, when, and both values of each field.
  var sides: JSON {
    [
      "lost": ["by": .string(who(details.loser)), "at": .string(DateText.display(details.loser.date))],
      "won": ["by": .string(who(details.winner)), "at": .string(DateText.display(details.winner.date))],
      "fields": .array(
        zip(details.fieldNames, conflict.fields).map { name, field in
          ["field": .string(name), "lost": .string(quoted(field.lost)), "won": .string(quoted(field.winning))]
        }),
    ]
  }

  private func side(_ side: ConflictDetails.Side) -> JSON {
    [
      "replica": .string("\(side.replica)"), "device": side.deviceName.map { .string($0) } ?? .null,
      "author": side.author.map { .string($0) } ?? .null, "isOwn": .bool(side.isOwn),
    ]
  }

  /// `phone (ada)`; a device without a name by its replica.
  private func who(_ side: ConflictDetails.Side) -> String {
    let name = side.deviceName.map { DisplayText.visible($0) } ?? "replica \(side.replica)"
    let notes = [side.isOwn ? "this device" : nil, side.author.map { DisplayText.visible($0) }].compactMap(\.self)
    return notes.isEmpty ? name : "\(name) (\(notes.joined(separator: ", ")))"
  }

  private var lostValues: String {
    if details.isLink { return conflict.kind == .deletionOverridden ? "the removal of a link" : "a link" }
    if conflict.fields.isEmpty { return "the delete" }
    return zip(details.fieldNames, conflict.fields).map { field, values in
      "\(field) = \(DisplayText.cut(quoted(values.lost), to: ConflictText.listedColumns))"
    }.joined(separator: ", ")
  }

  var title: String {
    switch conflict.kind {
    case .editLost: "an edit lost to a later one"
    case .editLostToDelete: "an edit lost to a delete"
    case .deletionOverridden: "a delete lost to a later edit"
    case .aliasJoined: "two records became one"
    case .moveVoided: "a move that would have put a record below itself"
    case .referenceLost: "a one-to-one reference lost to another record's"
    }
  }

  var explanation: String {
    switch conflict.kind {
    case .editLost: "Both wrote these fields without knowing of each other; the later write stands."
    case .editLostToDelete:
      "The record, or one that it cannot be without, was deleted, or made anew, where the edit was not known."
    case .deletionOverridden: "The record was edited where the delete was not known, so it lives."
    case .aliasJoined: "Two records with one unique value were made apart; of each field the later write stands."
    case .moveVoided: "Others had moved a record above this one below it meanwhile; their earlier move stands."
    case .referenceLost: "Another record took the same target later, and only one can have it."
    }
  }

  var remedy: String {
    switch conflict.kind {
    case .editLost, .aliasJoined: "writes the lost values again, as a new edit that wins on all devices."
    case .editLostToDelete:
      "brings the record back with the lost values, and whatever it cannot be without; or writes them into the new one."
    case .deletionOverridden: "deletes the record again."
    case .moveVoided: "moves the record after all, once the other move is undone."
    case .referenceLost: "takes the target back from the other record."
    }
  }

  /// The value that people put, from the stored form; that itself where it is of a later build, or ends at a moment.
  private func keyValue(_ stored: String) -> String {
    do {
      return try KeyValue(text: stored).displayText
    } catch {
      return stored
    }
  }

  private func quoted(_ value: FieldValue) -> String {
    switch value {
    case .null: "nothing"
    case .string(let text) where name != nil: "\"\(DisplayText.visible(keyValue(text)))\""
    case .string(let text), .url(let text): "\"\(DisplayText.visible(text))\""
    default: DisplayText.value(value)
    }
  }
}

/// A kind of conflict as the command line names it.
struct ConflictKindName: ExpressibleByArgument {
  let kind: Conflict.Kind

  init?(argument: String) {
    guard let kind = Conflict.Kind.allCases.first(where: { "\($0)" == argument }) else { return nil }
    self.kind = kind
  }

  static var allValueStrings: [String] { Conflict.Kind.allCases.map { "\($0)" } }
}
