import Foundation
import RecordStore
import RecordSync

/// Files between the replicas' folders, as a tool that moves folders would, and what can happen to them.
extension ScenarioWorld {
  /// Full exchange among the replicas named, files of third replicas included. One that stops because its folder was
  /// emptied, or because it lacks the family's key, does not keep the others from theirs; the error comes at the end.
  func exchange(_ names: [String]) async throws {
    var stopped: SyncError?
    for name in names { stopped = try await pause { try await export(name) } ?? stopped }
    try copyAll(among: names)
    for name in names {
      let exported = replica(name).report
      stopped = try await pause { try await importing(name) } ?? stopped
      replica(name).report.add(exported)
    }
    try copyAll(among: names)
    if let stopped { throw stopped }
  }

  private func pause(_ body: () async throws -> Void) async throws -> SyncError? {
    do {
      try await body()
      return nil
    } catch let error as SyncError where error.code == .folderMissing || error.code == .keyNeeded {
      return error
    }
  }

  /// `transactionsApart`: what was not exported before goes into a file each.
  func export(_ name: String, transactionsApart: Bool = false) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family, transactionsApart: transactionsApart)
      .export()
    try replica.noteID()
  }

  func importing(_ name: String) async throws {
    let replica = replica(name)
    replica.report = try await replica.engine(family: ScenarioWorld.family).import()
    try replica.noteID()
  }

  private func copyAll(among names: [String]) throws {
    for source in names {
      for target in names where target != source {
        try copyFolder(replica(source).folder, to: replica(target).folder)
      }
    }
  }

  /// Copies files that are not there yet, as they are.
  func copyFolder(_ source: URL, to target: URL) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: source.path).sorted() {
      var isFolder: ObjCBool = false
      let from = source.appending(path: path)
      guard FileManager.default.fileExists(atPath: from.path, isDirectory: &isFolder), !isFolder.boolValue else {
        continue
      }
      let to = target.appending(path: path)
      guard !FileManager.default.fileExists(atPath: to.path) else { continue }
      try FileManager.default.createDirectory(
        at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: from, to: to)
    }
  }

  /// A replica's own files of a kind in a folder, those under its earlier ids first.
  func files(of author: String, in owner: String, _ kind: Scenario.FileKind = .changeSet) throws -> [URL] {
    guard kind != .marker else {
      let marker = replica(owner).folder.appending(path: "tandem1-\(ScenarioWorld.family)/STORE")
      return FileManager.default.fileExists(atPath: marker.path) ? [marker] : []
    }
    let folders = parts(of: author, in: owner).flatMap { part in
      replica(author).ids.map { part.appending(path: "r/\($0)/\(kind.folder)") }
    }
    return try folders.flatMap { folder -> [URL] in
      guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
      return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(kind.suffix) }.sorted().map { folder.appending(path: $0) }
    }
  }

  /// Copies the author's own files, all or by their places among them; a damaged copy is replaced.
  func deliver(
    from author: String, to receiver: String, files chosen: [Int]?, of kind: Scenario.FileKind = .changeSet,
    place: String
  ) throws {
    let all = try files(of: author, in: author, kind)
    let depth = replica(author).folder.pathComponents.count
    for index in chosen ?? Array(all.indices) {
      guard all.indices.contains(index) else {
        throw ScenarioError("\(place): \(author) has \(all.count) files, there is no file \(index)")
      }
      let path = all[index].pathComponents.dropFirst(depth).joined(separator: "/")
      try replace(replica(receiver).folder.appending(path: path), by: all[index])
    }
  }

  func replace(_ target: URL, by source: URL) throws {
    try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    if FileManager.default.fileExists(atPath: target.path) { try FileManager.default.removeItem(at: target) }
    try FileManager.default.copyItem(at: source, to: target)
  }

  func harm(
    _ fault: Scenario.Fault, _ kind: Scenario.FileKind, from author: String, in receiver: String, file index: Int,
    place: String
  ) throws {
    let all = try files(of: author, in: receiver, kind)
    guard all.indices.contains(index) else {
      throw ScenarioError("\(place): \(receiver) has \(all.count) files of \(author), there is no file \(index)")
    }
    // A folder without a whole one is not there.
    if kind == .marker { replica(receiver).isFolderWiped = true }
    let file = all[index]
    switch fault {
    case .remove: try FileManager.default.removeItem(at: file)
    case .swap:
      let other = all[(index + 1) % all.count]
      guard other != file else { throw ScenarioError("\(place): \(receiver) has one file of \(author) alone") }
      try Data(contentsOf: other).write(to: file)
    case .exchange:
      let other = all[(index + 1) % all.count]
      guard other != file else { throw ScenarioError("\(place): \(receiver) has one file of \(author) alone") }
      let (first, second) = (try Data(contentsOf: file), try Data(contentsOf: other))
      try second.write(to: file)
      try first.write(to: other)
    case .forge: try forge(file, place: place)
    case .duplicate(let name): try FileManager.default.copyItem(at: file, to: file.renamed(name))
    case .rename(let name): try FileManager.default.moveItem(at: file, to: file.renamed(name))
    case .truncate(let percent, let count):
      let bytes = try Data(contentsOf: file)
      try bytes.prefix(count ?? bytes.count * percent / 100).write(to: file)
    case .corrupt(let byte, let bit):
      var bytes = try Data(contentsOf: file)
      guard bytes.indices.contains(byte) else { throw ScenarioError("\(place): the file has \(bytes.count) bytes") }
      bytes[byte] ^= bit.map { 1 << $0 } ?? 0xFF
      try bytes.write(to: file)
    }
  }

  /// Makes a folder look unmounted or wiped.
  func wipeFolder(of name: String) throws {
    let folder = replica(name).folder
    replica(name).isFolderWiped = true
    for entry in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appending(path: entry))
    }
  }

  /// The streams of all others arrive in the order of `order`, one after the other.
  func exchangeLast(in order: [String]) async throws {
    for name in order where replica(name).isFolderWiped { try bringBack(name) }
    for name in order { try await export(name) }
    for receiver in order {
      for author in order where author != receiver {
        try deliver(from: author, to: receiver, files: nil, place: "the last exchange")
        try deliver(from: author, to: receiver, files: nil, of: .value, place: "the last exchange")
        try await importing(receiver)
      }
    }
    for name in order {
      try await importing(name)
      let merged = replica(name).report.transactionsMerged
      guard merged == 0 else { throw ScenarioError("the last exchange: \(name) merged \(merged) transactions twice") }
    }
  }
}

extension Scenario.FileKind {
  /// In a replica's folder.
  fileprivate var folder: String {
    switch self {
    case .changeSet: "s"
    case .head: "h"
    case .manifest, .chunk: "n"
    case .value: "b"
    case .marker: preconditionFailure("the marker is of no replica")
    }
  }

  fileprivate var suffix: String {
    switch self {
    case .changeSet: ".tcs"
    case .head: ".thd"
    case .manifest: ".tsm"
    case .chunk: ".tsc"
    case .value: ".tlv"
    case .marker: preconditionFailure("the marker is of no replica")
    }
  }
}

extension URL {
  fileprivate func renamed(_ name: Scenario.NewName) -> URL {
    switch name {
    case .whole(let name): deletingLastPathComponent().appending(path: name)
    case .suffix(let suffix): deletingLastPathComponent().appending(path: lastPathComponent.dropLast(4) + suffix)
    }
  }
}
