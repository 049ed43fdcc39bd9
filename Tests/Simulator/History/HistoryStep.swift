package import ScenarioRunner

/// One thing that happens in a history; each is a step of a scenario file.
package enum HistoryStep: Hashable, Sendable {
  case save(on: String, at: UInt64, changes: [RecordEdit])
  /// A save that happens once for its key, and inserts records whose ids follow from it.
  case once(key: String, on: String, at: UInt64, changes: [RecordEdit])
  case sync([String])
  case export(String)
  case importing(String)
  case deliver(from: String, to: String, files: [Int]?, of: FileKind = .changeSet)
  case fault(FileFault, of: FileKind = .changeSet, from: String, to: String, file: Int)
  /// Whole copies of files other than change sets arrive, and take the place of damaged ones.
  case mend(FileKind, from: String, to: String)
  case copy(from: String, to: String)
  case unmount(String)
  case mount(String)
  case keepFolder(String)
  case rollBackFolder(String)
  case wipeFolder(String)
  case reopen(String)
  case clock(on: String, offsetHours: Int)
  case upgrade(String)
  case interrupt(work: String, on: String, point: Int)
  case collect(String)
  case snapshot(String)
  case compact(String)
  case retire(String, on: String)
  /// `name` becomes a copy of another replica, store and folder.
  case clone(from: String, name: String)
  case backup(String)
  case restore(String)
  /// Brings the large values that a replica awaits and its folder has.
  case loadValues(String)
  /// Removes the files of large values that nothing in a store names.
  case collectValues(String)
  /// The daily maintenance, which trims history.
  case maintain(String)
  /// A device has the family's present key, none, or that of another family.
  case key(KeyState, on: String)
  /// A device replaces the family's key, and with `forgetting` leaves another one without.
  case rotate(on: String, forgetting: String? = nil)
  /// The files that were kept of a folder lie there again, over what is there.
  case replay(String)

  /// The names are those of scenario files.
  package enum KeyState: String, Hashable, Sendable { case given, missing, foreign }

  /// What lies in a folder; the names are those of scenario files.
  package enum FileKind: String, Hashable, Sendable, CaseIterable {
    case changeSet, head, manifest, chunk, value, marker

    /// In the summary of faults.
    var place: String {
      switch self {
      case .changeSet: ""
      case .head: " (head)"
      case .manifest: " (snapshot's manifest)"
      case .chunk: " (snapshot's chunk)"
      case .value: " (large value)"
      case .marker: " (STORE)"
      }
    }
  }

  package enum FileFault: Hashable, Sendable {
    case truncate(percent: Int)
    case corrupt(byte: Int, bit: Int)
    case duplicate
    case rename
    case remove
    /// With the content of the next file of the kind.
    case swap
    /// It and the next file of the kind change names.
    case exchange
    /// Encrypted anew by somebody without the key.
    case forge

    fileprivate var name: String {
      switch self {
      case .truncate(let percent): percent == 0 ? "file of zero length" : "truncated file"
      case .corrupt: "flipped bit"
      case .duplicate: "duplicated file"
      case .rename: "conflict copy's name"
      case .remove: "removed file"
      case .swap: "file with another's content"
      case .exchange: "files that changed names"
      case .forge: "forged file"
      }
    }
  }

  /// One change within a save.
  package enum RecordEdit: Hashable, Sendable {
    case insert(entity: String, name: String, values: [String: JSONValue])
    case update(name: String, values: [String: JSONValue])
    case delete(name: String)
    case link(name: String, relationship: String, other: String, isLinked: Bool)
  }

  /// What the summary counts it as; nil for ordinary work.
  var faultName: String? {
    switch self {
    case .fault(let fault, let kind, _, _, _): fault.name + kind.place
    case .unmount: "folder unmounted"
    case .rollBackFolder: "folder rolled back"
    case .wipeFolder: "folder emptied"
    case .clock: "wrong clock"
    case .interrupt: "killed process"
    case .reopen: "store reopened"
    case .upgrade: "late upgrade"
    case .snapshot: "snapshot"
    case .compact: "compaction"
    case .retire: "retired replica"
    case .clone: "copied device"
    case .restore: "restored backup"
    case .deliver(_, _, _, .value): "large values by themselves"
    case .collectValues: "large values cleared away"
    case .maintain: "maintenance"
    case .key(.missing, _): "device without the key"
    case .key(.foreign, _): "device with another key"
    case .rotate(_, let gone): gone == nil ? "replaced key" : "forgotten device"
    case .replay: "files put back"
    default: nil
    }
  }

  /// What the step saves.
  var edits: [RecordEdit] {
    switch self {
    case .save(_, _, let edits), .once(_, _, _, let edits): edits
    default: []
    }
  }

  /// The replica that the step happens on, where it is one.
  var replica: String? {
    switch self {
    case .save(let name, _, _), .once(_, let name, _, _), .export(let name), .importing(let name), .unmount(let name),
      .mount(let name),
      .keepFolder(let name), .rollBackFolder(let name), .wipeFolder(let name), .reopen(let name), .clock(let name, _),
      .upgrade(let name), .interrupt(_, let name, _), .collect(let name), .snapshot(let name), .compact(let name),
      .backup(let name), .restore(let name), .loadValues(let name), .collectValues(let name),
      .maintain(let name), .key(_, let name), .rotate(let name, nil), .replay(let name):
      name
    case .deliver, .fault, .mend, .copy, .sync, .retire, .clone, .rotate: nil
    }
  }

  /// Every replica that the step names.
  var replicas: [String] {
    switch self {
    case .sync(let names): names
    case .deliver(let source, let target, _, _), .fault(_, _, let source, let target, _),
      .mend(_, let source, let target), .copy(let source, let target),
      .retire(let source, let target), .clone(let source, let target), .rotate(let source, let target?):
      [source, target]
    default: replica.map { [$0] } ?? []
    }
  }
}

extension HistoryStep.RecordEdit {
  /// The records that the edit names besides the one it makes.
  var namesUsed: [String] {
    switch self {
    case .insert(_, _, let values): values.values.compactMap(\.referenceName)
    case .update(let name, let values): [name] + values.values.compactMap(\.referenceName)
    case .delete(let name): [name]
    case .link(let name, _, let other, _): [name, other]
    }
  }

  /// The texts that stand for large values.
  var fileTexts: [String] {
    switch self {
    case .insert(_, _, let values), .update(_, let values):
      values.values.compactMap { value in
        guard case .string(let text) = value, RepeatedByte(text) != nil else { return nil }
        return text
      }
    case .delete, .link: []
    }
  }

  var document: JSONValue {
    switch self {
    case .insert(let entity, let name, let values):
      .object(["insert": .string(entity), "as": .string(name), "set": .object(values)])
    case .update(let name, let values): .object(["update": .string(name), "set": .object(values)])
    case .delete(let name): .object(["delete": .string(name)])
    case .link(let name, let relationship, let other, let isLinked):
      .object([isLinked ? "link" : "unlink": .array([.string(name), .string(relationship), .string(other)])])
    }
  }
}

extension JSONValue {
  /// Records are named `r1`, `r2`, …, and no other text in a history looks like that.
  var referenceName: String? {
    guard case .string(let text) = self, text.hasPrefix("r"), Int(text.dropFirst()) != nil else { return nil }
    return text
  }
}
