import Foundation
import RecordStore
import RecordSync
import ScenarioRunner

// Copied, restored and retired devices: what each of them has promised.
extension HistoryRun {
  func noteInserts(_ edits: [HistoryStep.RecordEdit], on replica: String) {
    // What is forgotten is known nowhere, and unique values may make one record of two.
    guard !history.collects else { return }
    for case .insert(let entity, let name, _) in edits where history.newestSchema.entity(entity).unique.isEmpty {
      inserted.insert(name)
      unpublished[replica, default: []].insert(name)
    }
  }

  /// A backup brings back what it had; what was not published is gone with the store that is replaced.
  func noteDevices(_ step: HistoryStep) async throws {
    if case .restore(let name) = step { inserted.subtract(unpublished.removeValue(forKey: name) ?? []) }
    if case .clone(let source, let name) = step { hasSavedSinceCopied.subtract([source, name]) }
  }

  /// I14: forks lose neither branch.
  func checkNothingIsForgotten() throws {
    for replica in history.replicas {
      try session.store(of: replica).read { snapshot in
        for name in inserted.sorted() {
          guard let entity = snapshot.catalogue.entity(named: entityNames[name] ?? ""),
            try snapshot.facts(session.record(name), of: entity.number) == nil
          else { continue }
          throw fail(.nothingIsLostSilently, "\(replica) knows nothing of \(name), which somebody inserted")
        }
      }
    }
  }

  /// I15. Copies that nobody has written on are one and the same, and nothing shows that there are two.
  func checkReplicaIDs() throws {
    guard history.hasCopies else { return }
    outcome.checked.insert(.oneReplicaOneID)
    var seen: [ReplicaID: String] = [:]
    for replica in history.replicas {
      guard let other = seen.updateValue(replica, forKey: session.replicaID(of: replica)),
        hasSavedSinceCopied.contains(replica) || hasSavedSinceCopied.contains(other)
      else { continue }
      throw fail(.oneReplicaOneID, "\(replica) and \(other) both go on as \(session.replicaID(of: replica))")
    }
  }

  /// I21: a new replica that has a snapshot and no change sets knows what its author knows.
  func checkSnapshot() async throws {
    guard history.hasSnapshots, history.schema == history.newestSchema else { return }
    let author = history.replicas[0]
    guard try !session.store(of: author).read({ try $0.versionVector.entries.isEmpty }) else { return }
    _ = try await session.engine(of: author).writeSnapshot()
    let root = session.folder(of: author).deletingLastPathComponent().appending(path: "snapshot")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
    let folder = root.appending(path: "exchange")
    try FileManager.default.copyItem(at: session.folder(of: author), to: folder)
    // Nor snapshots of others, which have logs of their own.
    let own = "/r/\(session.replicaID(of: author))/n/"
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".tcs") || path.contains("/n/") && path.hasSuffix("manifest.tsm") && !path.contains(own) {
      try FileManager.default.removeItem(at: folder.appending(path: path))
    }
    var configuration = StoreConfiguration(url: root.appending(path: "new.store"), durability: .unsafeNoFlush)
    configuration.ruleMutation = mutation
    configuration.replicaOfNewStore = ReplicaID(.max)
    let store = try RecordStore.open(configuration, schema: session.schema)
    var options = SyncOptions()
    options.storeID = ScenarioFamily.id
    options.key = session.familyKey(of: author)
    let report = try await SyncEngine(store: store, folder: folder, options: options).import()
    outcome.checked.insert(.snapshotEqualsReplay)
    guard report.snapshotsJoined == 1 else {
      throw fail(.snapshotEqualsReplay, "a new replica does not begin with the snapshot: \(report.waiting)")
    }
    let (found, wanted) = (
      try CanonicalDump.lines(of: store), try CanonicalDump.lines(of: session.store(of: author))
    )
    let logs = try [store, session.store(of: author)].map { Set(try ConflictLog(store: $0).entries().map(\.id)) }
    guard logs[0] == logs[1] else {
      throw fail(
        .snapshotEqualsReplay,
        "a replica that began with a snapshot has another conflict log than its author: "
          + "\(logs[0].subtracting(logs[1]).sorted()) and not \(logs[1].subtracting(logs[0]).sorted())")
    }
    guard found != wanted else { return }
    let difference = firstDifference(wanted, found)
    throw fail(.snapshotEqualsReplay, "a replica that began with a snapshot differs: \(difference)")
  }

  /// I23: once everybody has everything and has said so, little is left in a directory, however much was written.
  /// What tools that move folders have left there under names of their own is not the engine's.
  func checkFolders() throws {
    guard history.hasSnapshots, history.hasOracle, history.schema == history.newestSchema else { return }
    outcome.checked.insert(.foldersStaySmall)
    for replica in history.replicas {
      let own = session.replicaID(of: replica)
      let place = session.streams(of: replica).appending(path: "\(own)")
      for (name, limit) in [("s", 2), ("n", 2), ("h", 2)] {
        let folder = place.appending(path: name)
        guard FileManager.default.fileExists(atPath: folder.path) else { continue }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
          !$0.hasPrefix(".") && !$0.contains(" ")
        }
        guard files.count > limit else { continue }
        throw fail(.foldersStaySmall, "\(replica) keeps \(files.count) entries in its \(name), more than \(limit)")
      }
    }
  }
}

extension HistoryStep {
  /// Whether what its replicas had saved is in their folders afterwards.
  var publishes: Bool {
    switch self {
    case .export, .sync, .compact, .maintain: true
    default: false
    }
  }
}
