import ScenarioRunner

extension HistoryStep {
  /// The step as a scenario file has it. `fails`: the code with which the engine refused it.
  func document(schema: SimulatedSchema, fails: String? = nil) -> JSONValue {
    var members = members(schema: schema)
    if let fails { members["fails"] = .string(fails) }
    return .object(members)
  }

  private func members(schema: SimulatedSchema) -> [String: JSONValue] {
    switch self {
    case .save(let name, let time, let changes):
      ["on": .string(name), "at": .integer(Int64(time)), "save": .array(changes.map(\.document))]
    case .once(let key, let name, let time, let changes):
      [
        "on": .string(name), "at": .integer(Int64(time)), "once": .string(key),
        "save": .array(changes.map(\.document)),
      ]
    case .sync(let names): ["sync": .array(names.map(JSONValue.string))]
    case .export(let name): ["export": .string(name)]
    case .importing(let name): ["import": .string(name)]
    case .deliver(let source, let target, let files, let kind):
      [
        "deliver": .object(
          [
            "from": .string(source), "to": .string(target),
            "files": files.map { .array($0.map { .integer(Int64($0)) }) } ?? .string("all"),
          ].merging(kind == .changeSet ? [:] : ["of": .string(kind.rawValue)]) { $1 })
      ]
    case .fault(let fault, let kind, let source, let target, let file): fault.members(kind, source, target, file)
    case .mend(let kind, let source, let target):
      [
        "deliver": .object([
          "from": .string(source), "to": .string(target), "files": .string("all"), "of": .string(kind.rawValue),
        ])
      ]
    case .copy(let source, let target): ["copy": .object(["from": .string(source), "to": .string(target)])]
    case .unmount(let name): ["unmount": .string(name)]
    case .mount(let name): ["mount": .string(name)]
    case .keepFolder(let name): ["keepFolder": .string(name)]
    case .rollBackFolder(let name): ["rollBackFolder": .string(name)]
    case .wipeFolder(let name): ["wipeFolder": .string(name)]
    case .reopen(let name): ["reopen": .string(name)]
    case .clock(let name, let hours):
      ["clock": .object(["on": .string(name), "offsetHours": .integer(Int64(hours))])]
    case .collect(let name): ["collect": .string(name)]
    case .snapshot(let name): ["snapshot": .string(name)]
    case .compact(let name): ["compact": .string(name)]
    case .retire(let gone, let name): ["retire": .object(["on": .string(name), "replica": .string(gone)])]
    case .clone(let source, let name): ["clone": .object(["from": .string(source), "as": .string(name)])]
    case .backup(let name): ["backup": .string(name)]
    case .restore(let name): ["restore": .string(name)]
    case .loadValues(let name): ["loadValues": .string(name)]
    case .collectValues(let name): ["collectValues": .string(name)]
    case .maintain(let name): ["maintain": .string(name)]
    case .key(let state, let name): ["key": .object(["on": .string(name), "is": .string(state.rawValue)])]
    case .rotate(let name, let gone):
      [
        "rotate": .object(
          ["on": .string(name)].merging(gone.map { ["forgetting": .string($0)] } ?? [:]) { $1 })
      ]
    case .replay(let name): ["replay": .string(name)]
    case .upgrade(let name): ["upgrade": .object(["on": .string(name), "entities": schema.document])]
    case .interrupt(let work, let name, let point):
      [
        "interrupt": .object([
          "on": .string(name), "during": .string(work), "point": .integer(Int64(point)),
        ])
      ]
    }
  }
}

extension HistoryStep.FileFault {
  fileprivate func members(
    _ kind: HistoryStep.FileKind, _ source: String, _ target: String, _ file: Int
  ) -> [String: JSONValue] {
    var inner: [String: JSONValue] = [
      "from": .string(source), "to": .string(target), "file": .integer(Int64(file)),
    ]
    if kind != .changeSet { inner["of"] = .string(kind.rawValue) }
    switch self {
    case .truncate(let percent):
      inner["percent"] = .integer(Int64(percent))
      return ["truncate": .object(inner)]
    case .corrupt(let byte, let bit):
      inner["byte"] = .integer(Int64(byte))
      inner["bit"] = .integer(Int64(bit))
      return ["corrupt": .object(inner)]
    case .duplicate: return ["duplicate": .object(inner)]
    case .rename: return ["rename": .object(inner)]
    case .remove: return ["remove": .object(inner)]
    case .swap: return ["swap": .object(inner)]
    case .exchange: return ["exchange": .object(inner)]
    case .forge: return ["forge": .object(inner)]
    }
  }
}
