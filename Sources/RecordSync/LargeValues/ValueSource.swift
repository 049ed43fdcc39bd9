import Foundation
import RecordStore

/// Where a store finds large values that it awaits: a folder of the family, or the store of a device next to it.
enum ValueSource {
  case folder(ExchangeFolder, ValueNames)
  case store(ExternalFolder)

  /// Whether the value is here, or a piece of it, by the names of files.
  func mayHave(_ value: ExternalReference) throws -> Bool {
    switch self {
    case .store(let source): try source.has(value)
    case .folder(_, let names): names.hasPart(of: value)
    }
  }

  /// Brings a value to its place, if it is here and whole. Pieces that follow each other from the beginning are taken,
  /// and wait in the store for the rest. What lies under the value's name and is not the value is named in
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
      let whole = ValueSlice(value)
      for replica in names.owners(of: whole) {
        let outcome = try Self.bring(
          [whole], from: folder, { _ in [replica] }, to: target, atMilliseconds: now, &memory, &refused, copied)
        if outcome { return true }
      }
      guard names.hasPiece(of: value) else { return false }
      return try Self.bring(
        ValueSlice.pieces(of: value), from: folder, names.owners, to: target, atMilliseconds: now, &memory, &refused,
        copied)
    }
  }

  /// A piece is not here yet.
  private struct Incomplete: Error {}

  /// `slices`: all of a value. `owners`: in whose folders the file of one lies.
  private static func bring(
    _ slices: some Collection<ValueSlice>, from folder: ExchangeFolder, _ owners: (ValueSlice) -> [ReplicaID],
    to target: ExternalFolder, atMilliseconds now: UInt64, _ memory: inout RefusedFiles,
    _ refused: inout [SyncReport.Refusal], _ copied: (Int) -> Void
  ) throws -> Bool {
    let circumstances = RefusedFiles.Circumstances(sequence: 0, lastEpoch: 0)
    var known: [SyncReport.Refusal] = []
    var read: [(owner: ReplicaID, file: URL)] = []
    guard let value = slices.first?.value else { return false }
    do {
      let isWhole = try target.receive(value, atMilliseconds: now) { [memory] start, write in
        var count = start
        read = []
        for slice in slices where slice.range.upperBound > start {
          let files = owners(slice).map { (owner: $0, file: folder.file(slice, of: $0)) }
          guard let next = files.first(where: { memory.reason(for: $0.file, circumstances) == nil }) else {
            for (owner, file) in files {
              guard let reason = memory.reason(for: file, circumstances) else { continue }
              known.append(refusal(of: file, owner, reason))
            }
            throw Incomplete()
          }
          read.append(next)
          try folder.read(slice, at: next.file, from: start) { step in
            try write(step)
            count += step.count
            copied(count)
          }
        }
      }
      if isWhole { return true }
      // Nothing tells which one of several pieces is wrong.
      for (owner, file) in read {
        let reason = ExchangeFolder.damage(file).message
        memory.note(file, circumstances, reason: reason)
        refused.append(refusal(of: file, owner, reason))
      }
    } catch is Incomplete {
      refused += known
    } catch let error as SyncError where error.code != .inputOutput {
      guard let (owner, file) = read.last else { throw error }
      if error.isLasting { memory.note(file, circumstances, reason: error.message) }
      refused.append(refusal(of: file, owner, error.message))
    }
    return false
  }

  private static func refusal(of file: URL, _ owner: ReplicaID, _ reason: String) -> SyncReport.Refusal {
    SyncReport.Refusal(file: "r/\(owner)/b/\(file.lastPathComponent)", reason: reason)
  }
}

/// The large values that lie in a folder, wholly or in pieces, by the names of their files.
struct ValueNames: Hashable, Sendable {
  /// In whose folders files lie, by the names that they have without a key.
  private var owners: [String: [ReplicaID]] = [:]
  /// The values of which pieces lie here, by their digests: of one digest, names may tell several lengths.
  private var inPieces: [String: Set<ExternalReference>] = [:]
  /// Items in the place of a folder of values that are none.
  private(set) var refused: [SyncReport.Refusal] = []

  /// Lists the replicas' folders of values, where they have one.
  init(in folder: ExchangeFolder) throws {
    for replica in try folder.knownReplicas() {
      do {
        for entry in try DurableFile.names(in: folder.values(of: replica)) {
          guard let digest = folder.valueName(entry) else { continue }
          if ValueSlice.isWhole(entry) {
            owners[ValueSlice.wholeName(digest: digest), default: []].append(replica)
          } else if let piece = ValueSlice(pieceNamed: entry, digest: digest) {
            owners[piece.fileName(digest: digest), default: []].append(replica)
            inPieces[digest, default: []].insert(piece.value)
          }
        }
      } catch let error as SyncError where error.code == .unusableFile {
        refused.append(SyncReport.Refusal(file: "r/\(replica)/b", reason: error.message))
      }
    }
  }

  /// In whose folders the file of a value, or of a piece, lies.
  func owners(of slice: ValueSlice) -> [ReplicaID] { owners[slice.fileName(digest: slice.value.name)] ?? [] }

  var isEmpty: Bool { owners.isEmpty }

  func hasPart(of value: ExternalReference) -> Bool {
    !owners(of: ValueSlice(value)).isEmpty || hasPiece(of: value)
  }

  func hasPiece(of value: ExternalReference) -> Bool { inPieces[value.name]?.contains(value) ?? false }

  /// Whether all of a value is here. `isIntact`: whether a file that has the name counts.
  func has(_ value: ExternalReference, where isIntact: (ValueSlice, ReplicaID) throws -> Bool) rethrows -> Bool {
    if try owners(of: ValueSlice(value)).contains(where: { try isIntact(ValueSlice(value), $0) }) { return true }
    return try hasPiece(of: value)
      && ValueSlice.pieces(of: value).allSatisfy { piece in
        try owners(of: piece).contains { try isIntact(piece, $0) }
      }
  }

  /// As ``has(_:where:)``, where only the digest is known, in hexadecimal.
  func has(named digest: String) -> Bool {
    !wholeOwners(named: digest).isEmpty || valueInPieces(named: digest) != nil
  }

  /// In whose folders all of a value lies in one file.
  func wholeOwners(named digest: String) -> [ReplicaID] { owners[ValueSlice.wholeName(digest: digest)] ?? [] }

  /// The value of a digest of which all pieces are here.
  func valueInPieces(named digest: String) -> ExternalReference? { inPieces[digest]?.first { hasAllPieces(of: $0) } }

  private func hasAllPieces(of value: ExternalReference) -> Bool {
    ValueSlice.pieces(of: value).allSatisfy { !owners(of: $0).isEmpty }
  }

  /// The digests of the values of which a replica has put a part there.
  func names(of replica: ReplicaID) -> Set<String> {
    Set(owners.lazy.filter { $0.value.contains(replica) }.map { String($0.key.prefix(64)) })
  }
}
