import Foundation
import RecordStore
import StoreInspection

/// A record as a line of a text file has it.
struct TextRecord {
  let entity: String
  let id: RecordID?
  let names: [String]
  let values: [TextValue]
  let line: Int
}

extension TextRecord {
  /// The bound of a whole text file.
  private static let maximumBytes = 2 << 30
  /// As many properties as SQLite takes columns, so that a store of a text can be exported again. The cost of a schema
  /// grows with their square.
  static let maximumPropertyCount = 2_000

  /// The records of a CSV file, whose first line has the names of properties.
  static func csv(_ url: URL, entity: String) throws -> [TextRecord] {
    var reader = CSVReader(try data(url), separator: url.pathExtension.lowercased() == "tsv" ? "\t" : ",")
    guard let header = try reader.next() else {
      throw BridgeError(.notUnderstood, "\(url.path) is empty: its first line has the names of properties")
    }
    let names = header.fields.map { $0 ?? "" }
    guard !names.contains(""), Set(names).count == names.count else {
      throw BridgeError(.notUnderstood, "line 1 has an empty name or one twice: name each column")
    }
    let idColumn = names.firstIndex(of: RecordLine.idMember)
    let entityColumn = names.firstIndex(of: RecordLine.entityMember)
    let kept = names.indices.filter { $0 != idColumn && $0 != entityColumn }
    let properties = kept.map { names[$0] }
    var records: [TextRecord] = []
    while let (fields, line) = try reader.next() {
      let id = try idColumn.flatMap { fields[$0] }.map { try TextRecord.id($0, line) }
      let values = kept.map { place in fields[place].map { TextValue.field($0) } ?? .missing }
      let own = entityColumn.flatMap { fields[$0] } ?? entity
      records.append(TextRecord(entity: own, id: id, names: properties, values: values, line: line))
    }
    return records
  }

  /// The records of a file with an object a line; `entity` is that of lines that name none.
  static func jsonLines(_ url: URL, entity: String) throws -> [TextRecord] {
    try SQLiteCopy.requireFile(url)
    guard let handle = FileHandle(forReadingAtPath: url.path) else {
      throw BridgeError(.inputOutput, "cannot read \(url.path): check its permissions")
    }
    let lines = LineReader(handle)
    var records: [TextRecord] = []
    while let text = try lines.next() {
      if text.allSatisfy({ $0 == " " || $0 == "\t" }) { continue }
      records.append(try record(text, entity, lines.lineNumber))
    }
    return records
  }

  private static func record(_ text: String, _ entity: String, _ line: Int) throws -> TextRecord {
    let json: JSON
    do {
      json = try JSON(parsing: text)
    } catch {
      throw BridgeError(.notUnderstood, "line \(line), \(error): write one object a line", cause: error)
    }
    guard case .object(let members) = json, Set(members.map(\.name)).count == members.count else {
      throw BridgeError(.notUnderstood, "line \(line) is no object, or has a name twice: write one object a line")
    }
    let fields = members.filter { $0.name != RecordLine.entityMember && $0.name != RecordLine.idMember }
    let own = json[RecordLine.entityMember]
    guard own == nil || own?.stringValue != nil else {
      throw BridgeError(.wrongValue, "line \(line) has an '@entity' that is no text: correct the line")
    }
    return TextRecord(
      entity: own?.stringValue ?? entity,
      id: try json[RecordLine.idMember].map { try id($0.stringValue ?? "", line) }, names: fields.map(\.name),
      values: fields.map { .json($0.value) }, line: line)
  }

  private static func id(_ text: String, _ line: Int) throws -> RecordID {
    guard let id = RecordID(text) else {
      throw BridgeError(.wrongValue, "line \(line) has an '@id' that is not 32 hexadecimal digits: correct the line")
    }
    return id
  }

  private static func data(_ url: URL) throws -> Data {
    try SQLiteCopy.requireFile(url)
    do {
      let size = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.size] as? Int
      guard let size, size <= maximumBytes else {
        throw BridgeError(.beyondLimits, "\(url.path) has more than 2 GiB: import a part of it")
      }
      return try Data(contentsOf: url)
    } catch let error as BridgeError {
      throw error
    } catch {
      throw BridgeError(.inputOutput, "cannot read \(url.path): check its permissions", cause: error)
    }
  }
}
