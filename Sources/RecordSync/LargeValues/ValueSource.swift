import Foundation
import RecordStore

/// Where a store finds large values that it awaits: a folder of the family, or the store of a device next to it.
enum ValueSource {
  case folder(ExchangeFolder, ValueNames)
  case store(ExternalFolder)

  /// Whether a file of the value's name is here.
  func mayHave(_ value: ExternalReference) throws -> Bool {
    switch self {
    case .store(let source): try source.has(value)
    case .folder(_, let names): !names.owners(of: value).isEmpty
    }
  }

  /// Brings a value to its place, if it is here and whole. What lies under its name and is not the value is named in
  /// `refused`, and another file of the same value is taken. `memory`: one that was refused is not read again until it
  /// was written. `copied`: the bytes that are here so far.
  func bring(
    _ value: ExternalReference, to target: ExternalFolder, atMilliseconds now: UInt64,
    _ memory: inout RefusedFiles, _ refused: inout [SyncReport.Refusal], _ copied: (Int) -> Void = { _ in }
  ) throws -> Bool {
    switch self {
    case .store(let source):
      guard try source.has(value), let data = source.data(of: value) else { return false }
      return try target.receive(value, atMilliseconds: now) { start, write in
        var rest = data.dropFirst(start)
        while !rest.isEmpty {
          try CancellationRequest.check()
          let piece = [UInt8](rest.prefix(1 << 20))
          rest = rest.dropFirst(piece.count)
          try write(piece[...])
          copied(data.count - rest.count)
        }
      }
    case .folder(let folder, let names):
      for replica in names.owners(of: value) {
        let file = folder.file(value, of: replica)
        guard
          let reason = try Self.refusal(
            of: value, at: file, in: folder, bringingTo: target, atMilliseconds: now, &memory, copied)
        else { return true }
        refused.append(SyncReport.Refusal(file: "r/\(replica)/b/\(file.lastPathComponent)", reason: reason))
      }
      return false
    }
  }

  /// Why a file was not taken; nil where its value has its place now.
  private static func refusal(
    of value: ExternalReference, at file: URL, in folder: ExchangeFolder, bringingTo target: ExternalFolder,
    atMilliseconds now: UInt64, _ memory: inout RefusedFiles, _ copied: (Int) -> Void
  ) throws -> String? {
    let circumstances = RefusedFiles.Circumstances(sequence: 0, lastEpoch: 0)
    if let known = memory.reason(for: file, circumstances) { return known }
    do {
      let isWhole = try target.receive(value, atMilliseconds: now) { start, write in
        var count = start
        try folder.read(value, at: file, from: start) { piece in
          try write(piece)
          count += piece.count
          copied(count)
        }
      }
      if isWhole { return nil }
      throw ExchangeFolder.damage(file)
    } catch let error as SyncError where error.code != .inputOutput {
      if error.isLasting { memory.note(file, circumstances, reason: error.message) }
      return error.message
    }
  }
}

/// The large values that lie in a folder, by the names of their files.
struct ValueNames: Hashable, Sendable {
  private var owners: [String: [ReplicaID]] = [:]
  /// Items in the place of a folder of values that are none.
  private(set) var refused: [SyncReport.Refusal] = []

  /// Lists the replicas' folders of values, where they have one.
  init(in folder: ExchangeFolder) throws {
    for replica in try folder.knownReplicas() {
      do {
        for name in try folder.valueNames(of: replica) { owners[name, default: []].append(replica) }
      } catch let error as SyncError where error.code == .unusableFile {
        refused.append(SyncReport.Refusal(file: "r/\(replica)/b", reason: error.message))
      }
    }
  }

  func owners(of value: ExternalReference) -> [ReplicaID] { owners(named: value.name) }

  /// `name`: the digest in hexadecimal.
  func owners(named name: String) -> [ReplicaID] { owners[name] ?? [] }

  /// The digests of the values that a replica has put there.
  func names(of replica: ReplicaID) -> [String] { owners.filter { $0.value.contains(replica) }.map(\.key).sorted() }
}
