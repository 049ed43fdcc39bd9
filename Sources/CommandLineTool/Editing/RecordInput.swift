import ArgumentParser
import Foundation
import RecordStore
import StoreInspection

/// Values for one record: words of the command line, or a JSON object on standard input in the form of
/// `tandem query --json`.
struct RecordInput {
  var statements: [RecordStatement]
  /// `@entity` and `@id` of an object that names them.
  var entity: String?
  var id: RecordID?

  init(words: [String]) throws {
    self =
      words.isEmpty
      ? try RecordInput(json: RecordInput.standardInput())
      : try RecordInput(try words.map { try RecordStatement(word: $0) })
    try requireOneValueEach()
  }

  /// Values that were entered field by field.
  init(_ statements: [RecordStatement]) throws(CommandFailure) {
    self.statements = statements
    try requireOneValueEach()
  }

  private func requireOneValueEach() throws(CommandFailure) {
    var seen: Set<String> = []
    for statement in statements where !seen.insert(statement.name).inserted {
      throw CommandFailure("'\(statement.name)' is given two values; give one")
    }
  }

  private init(json: JSON) throws {
    guard let members = json.objectValue else {
      throw CommandFailure("standard input is no JSON object; give one such as {\"title\":\"Bread\"}")
    }
    statements = members.filter { !RecordInput.names.contains($0.name) }.map { RecordStatement($0) }
    entity = json[RecordLine.entityMember]?.stringValue
    guard let given = json[RecordLine.idMember] else { return }
    guard let id = given.stringValue.flatMap({ RecordID($0) }) else {
      throw CommandFailure("the \(RecordLine.idMember) on standard input is not 32 hexadecimal digits; correct it")
    }
    self.id = id
  }

  private static let names: Set<String> = [RecordLine.entityMember, RecordLine.idMember]

  private static func standardInput() throws -> JSON {
    guard isatty(STDIN_FILENO) == 0 else {
      throw CommandFailure("there is no value; write some as title=Bread, or give a JSON object on standard input")
    }
    let data = try StandardInput.read()
    do {
      return try JSON(parsingUTF8: data)
    } catch {
      throw CommandFailure("standard input is no JSON object (\(error)); write values as title=Bread, or correct it")
    }
  }

  /// Refuses an object that was written about another record.
  func require(entity: String, id: RecordID?) throws(CommandFailure) {
    if let own = self.entity, own != entity {
      throw CommandFailure("the object on standard input is a record of '\(own)', not of '\(entity)'; name that entity")
    }
    if let id, let own = self.id, own != id {
      throw CommandFailure("the object on standard input is the record \(own), not \(id); name that one")
    }
  }
}
