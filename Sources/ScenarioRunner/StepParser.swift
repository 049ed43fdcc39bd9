import RecordStore

/// Reads the steps of a scenario. The first key that names an action decides what the step is.
struct StepParser {
  let replicas: Set<String>

  private static let shared = ["fails", "report", "note"]

  func step(_ reader: JSONReader) throws -> Scenario.Step {
    let keys = Set(try reader.members().map(\.name))
    var step = Scenario.Step(action: try action(reader, keys), place: reader.place)
    for (name, member) in try reader.members() {
      if name == "fails" { step.fails = try member.string() }
      if name == "report" { step.report = try report(member) }
    }
    return step
  }

  private func action(_ reader: JSONReader, _ keys: Set<String>) throws -> Scenario.Action {
    if keys.contains("save") { return try save(reader) }
    if keys.contains("restoreConflict") { return try restoreConflict(reader) }
    let actions = [
      "sync", "export", "import", "deliver", "truncate", "corrupt", "duplicate", "rename", "remove", "wipeFolder",
      "reopen", "clock", "upgrade", "check", "copy", "unmount", "mount", "keepFolder", "rollBackFolder",
      "interrupt", "crash", "collect", "retire", "snapshot", "compact", "removeChunk", "removeStream", "clone",
      "backup", "restore", "loadValues", "collectValues", "maintain", "swap", "exchange",
      "forge", "key", "rotate", "replay",
    ]
    guard let name = actions.first(where: keys.contains) else {
      let unknown = keys.subtracting(StepParser.shared + ["on", "at"]).sorted().map { "\"\($0)\"" }
      let found = unknown.isEmpty ? "no action" : "no known action in \(unknown.joined(separator: ", "))"
      throw reader.failure("\(found); known: save, restoreConflict, \(actions.joined(separator: ", "))")
    }
    let members = try reader.members(required: [name], optional: StepParser.shared)
    guard let value = members[name] else { preconditionFailure("a required member is there once it was checked") }
    switch name {
    case "sync": return .sync(try value.elements("replica").map(replica))
    case "export": return .export(try replica(value))
    case "import": return .importing(try replica(value))
    case "deliver": return try deliver(value)
    case "wipeFolder": return .wipeFolder(try replica(value))
    case "reopen": return .reopen(try replica(value))
    case "copy": return try copy(value)
    case "unmount": return .unmount(try replica(value))
    case "mount": return .mount(try replica(value))
    case "keepFolder": return .keepFolder(try replica(value))
    case "rollBackFolder": return .rollBackFolder(try replica(value))
    case "interrupt", "crash": return try interrupt(value)
    case "clone":
      let members = try value.members(required: ["from", "as"])
      return .clone(from: try replica(member(members, "from")), name: try replica(member(members, "as")))
    case "backup": return .backup(try replica(value))
    case "restore": return .restore(try replica(value))
    case "loadValues": return .loadValues(on: try replica(value))
    case "collectValues": return .collectValues(on: try replica(value))
    case "maintain": return .maintain(on: try replica(value))
    case "collect": return .collect(on: try replica(value))
    case "snapshot": return .snapshot(on: try replica(value))
    case "compact": return .compact(on: try replica(value))
    case "removeChunk", "removeStream": return try removal(name, value)
    case "retire":
      let members = try value.members(required: ["on", "replica"])
      return .retire(try replica(member(members, "replica")), on: try replica(member(members, "on")))
    case "key": return try key(value)
    case "rotate": return try rotate(value)
    case "replay": return .replay(try replica(value))
    case "clock": return try clock(value)
    case "upgrade": return try upgrade(value)
    case "check": return .check(try ExpectationParser(replicas: replicas).expectations(value))
    default: return try fault(name, value)
    }
  }

  private func replica(_ reader: JSONReader) throws -> String {
    let name = try reader.string()
    guard replicas.contains(name) else { throw reader.failure("there is no replica \"\(name)\"") }
    return name
  }

  private func report(_ reader: JSONReader) throws -> [String: Int] {
    let members = try reader.members(
      optional: [
        "merged", "refused", "waiting", "conflicts", "exported", "warnings", "collected", "compacted", "snapshots",
        "joined",
      ])
    return try members.mapValues { try $0.integer() }
  }

  private func save(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(
      required: ["on", "save"], optional: ["at", "once", "performed"] + StepParser.shared)
    let isPerformed = try members["performed"]?.bool()
    let once = try members["once"].map { Scenario.Once(key: try $0.string(), isPerformed: isPerformed) }
    if once == nil, let performed = members["performed"] { throw performed.failure("only a once transaction has it") }
    return .save(
      on: try replica(member(members, "on")), at: try members["at"].map(time),
      changes: try member(members, "save").elements("change").flatMap(change), once: once)
  }

  /// Up to the end of what 48 bits of milliseconds since 1970 can say, with room for a clock that is wrong.
  private func time(_ reader: JSONReader) throws -> UInt64 {
    UInt64(try reader.integer(in: 0...200_000_000_000_000))
  }

  private func restoreConflict(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["on", "restoreConflict"], optional: ["at"] + StepParser.shared)
    return .restoreConflict(
      on: try replica(member(members, "on")), at: try members["at"].map(time),
      conflict: try ExpectationParser(replicas: replicas).conflict(member(members, "restoreConflict")))
  }

  private static let places = ["before", "after", "first", "last", "in"]

  private func change(_ reader: JSONReader) throws -> [Scenario.Change] {
    let keys = Set(try reader.members().map(\.name))
    if keys.contains("insert") {
      let members = try reader.members(required: ["insert"], optional: ["as", "set", "note"] + StepParser.places)
      // Nobody speaks of a record without a name again; its place keeps its id apart from others.
      let name = try members["as"]?.string() ?? reader.place
      let insert = Scenario.Change.insert(
        entity: try member(members, "insert").string(), name: name, values: try values(members["set"]))
      return [insert] + (try place(of: name, members).map { [$0] } ?? [])
    }
    if keys.contains("move") {
      let members = try reader.members(required: ["move"], optional: ["note"] + StepParser.places)
      guard let place = try place(of: member(members, "move").string(), members) else {
        throw reader.failure("a move says where to: before, after, first or last")
      }
      return [place]
    }
    return [try plainChange(reader, keys)]
  }

  private func place(of name: String, _ members: [String: JSONReader]) throws -> Scenario.Change? {
    let relationship = try members["in"]?.string()
    var place: Scenario.Place?
    if let other = members["before"] { place = .before(try other.string()) }
    if let other = members["after"] { place = .after(try other.string()) }
    if let flag = members["first"], try flag.bool() { place = .first }
    if let flag = members["last"], try flag.bool() { place = .last }
    return place.map { .place(name: name, relationship: relationship, at: $0) }
  }

  private func plainChange(_ reader: JSONReader, _ keys: Set<String>) throws -> Scenario.Change {
    if keys.contains("update") {
      let members = try reader.members(required: ["update"], optional: ["set", "note"])
      return .update(name: try member(members, "update").string(), values: try values(members["set"]))
    }
    if keys.contains("delete") {
      return .delete(name: try member(try reader.members(required: ["delete"], optional: ["note"]), "delete").string())
    }
    for name in ["link", "unlink"] where keys.contains(name) {
      let triple = try member(try reader.members(required: [name], optional: ["note"]), name).strings()
      guard triple.count == 3 else { throw reader.failure("a link is [record, relationship, record]") }
      return .link(name: triple[0], relationship: triple[1], other: triple[2], isLinked: name == "link")
    }
    throw reader.failure("no change; known: insert, update, delete, move, link, unlink")
  }

  private func values(_ reader: JSONReader?) throws -> [String: JSONValue] {
    var values: [String: JSONValue] = [:]
    for (name, member) in try reader?.members() ?? [] { values[name] = member.value }
    return values
  }

  private func deliver(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["from", "to"], optional: ["files", "of", "note"])
    var files: [Int]?
    if let list = members["files"], list.value != .string("all"), list.value != .null {
      if case .array = list.value {
        files = try list.elements("file").map { try $0.integer() }
      } else {
        files = [try list.integer()]
      }
    }
    return .deliver(
      from: try replica(member(members, "from")), to: try replica(member(members, "to")), files: files,
      of: try fileKind(members["of"]))
  }

  private func fileKind(_ reader: JSONReader?) throws -> Scenario.FileKind {
    guard let reader else { return .changeSet }
    guard let kind = Scenario.FileKind(rawValue: try reader.string()) else {
      let known = Scenario.FileKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw reader.failure("unknown kind of file; known: \(known)")
    }
    return kind
  }

  private func fault(_ name: String, _ reader: JSONReader) throws -> Scenario.Action {
    let options = [
      "truncate": ["percent", "bytes"], "corrupt": ["byte", "bit"], "duplicate": ["suffix", "as"],
      "rename": ["suffix", "as"],
    ]
    let members = try reader.members(
      required: ["from", "to"], optional: ["file", "of", "note"] + (options[name] ?? []))
    let newName: Scenario.NewName =
      try members["as"].map { .whole(try $0.string()) }
      ?? .suffix(try members["suffix"]?.string() ?? " (conflicted copy).tcs")
    let fault: Scenario.Fault =
      switch name {
      case "truncate":
        .truncate(
          percent: try members["percent"]?.integer(in: 0...100) ?? 50,
          bytes: try members["bytes"]?.integer(in: 0...Int.max))
      case "corrupt":
        .corrupt(
          byte: try members["byte"]?.integer(in: 0...Int.max) ?? 120, bit: try members["bit"]?.integer(in: 0...7))
      case "duplicate": .duplicate(newName)
      case "rename": .rename(newName)
      case "swap": .swap
      case "exchange": .exchange
      case "forge": .forge
      default: .remove
      }
    return .fault(
      fault, of: try fileKind(members["of"]), from: try replica(member(members, "from")),
      to: try replica(member(members, "to")),
      file: try members["file"]?.integer() ?? 0)
  }

  private func key(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["on", "is"])
    let state = try member(members, "is")
    guard let found = Scenario.KeyState(rawValue: try state.string()) else {
      let known = Scenario.KeyState.allCases.map(\.rawValue).joined(separator: ", ")
      throw state.failure("unknown state of a key; known: \(known)")
    }
    return .key(found, on: try replica(member(members, "on")))
  }

  private func rotate(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["on"], optional: ["forgetting"])
    return .rotate(on: try replica(member(members, "on")), forgetting: try members["forgetting"].map(replica))
  }

  private func removal(_ name: String, _ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["from", "to"], optional: ["chunk", "note"])
    let (author, owner) = (try replica(member(members, "from")), try replica(member(members, "to")))
    guard name == "removeChunk" else { return .removeStream(from: author, to: owner) }
    return .removeChunk(try members["chunk"]?.integer(in: 0...Int.max) ?? 0, from: author, to: owner)
  }

  private func copy(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["from", "to"])
    return .copy(from: try replica(member(members, "from")), to: try replica(member(members, "to")))
  }

  private func interrupt(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["on", "during"], optional: ["point", "note"])
    let during = try member(members, "during")
    guard let work = Scenario.Work(rawValue: try during.string()) else {
      let known = Scenario.Work.allCases.map(\.rawValue).joined(separator: ", ")
      throw during.failure("unknown work; known: \(known)")
    }
    return .interrupt(
      work, on: try replica(member(members, "on")), at: try members["point"]?.integer(in: 0...100_000))
  }

  private func clock(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["on"], optional: ["offsetHours", "stuck", "note"])
    let limit = 10_000_000.0
    let milliseconds = try members["offsetHours"].map { reader -> Int64 in
      let hours = try reader.number()
      guard hours.magnitude <= limit else {
        throw reader.failure("\(reader.value) is not between -\(limit) and \(limit)")
      }
      return Int64(hours * 3_600_000)
    }
    return .clock(
      on: try replica(member(members, "on")),
      Scenario.Clock(offsetMilliseconds: milliseconds, isStuck: try members["stuck"]?.bool()))
  }

  private func upgrade(_ reader: JSONReader) throws -> Scenario.Action {
    let members = try reader.members(required: ["on", "entities"])
    return .upgrade(
      on: try replica(member(members, "on")),
      schema: try SchemaParser.schema(member(members, "entities"), version: SchemaVersion(2, 0, 0)))
  }

  private func member(_ members: [String: JSONReader], _ name: String) throws -> JSONReader {
    guard let reader = members[name] else { preconditionFailure("a required member is there once it was checked") }
    return reader
  }
}
