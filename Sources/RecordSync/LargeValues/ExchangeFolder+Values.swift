import AgeEncryption
import Crypto
import Foundation
package import RecordStore

// `r/<replica>/b/<digest>.tlv`: a large value. Its content is the value and nothing else; the name is its SHA-256.
// Where the family has a key, each half of the digest is hidden as hashes in other names are, and the file is an age
// file of the value, the same whenever and on whichever device it is written. No code and no signature stands in it:
// only a value is taken that a file of the family names by its digest.
extension ExchangeFolder {
  static let valueSuffix = ".tlv"

  func values(of replica: ReplicaID) -> URL { folder(of: replica).appending(path: "b") }

  func file(_ value: ExternalReference, of replica: ReplicaID) -> URL { file(named: value.name, of: replica) }

  /// `name`: the digest in hexadecimal.
  func file(named name: String, of replica: ReplicaID) -> URL {
    values(of: replica).appending(path: lyingName(of: name))
  }

  private func lyingName(of name: String) -> String {
    let halves = [String(name.prefix(32)), String(name.suffix(32))]
    return halves.map { seal?.hidden($0) ?? $0 }.joined() + Self.valueSuffix
  }

  /// The digest of the value that lies under a name, in hexadecimal; nil for names of another form.
  func valueName(_ entry: String) -> String? {
    guard entry.hasSuffix(Self.valueSuffix) else { return nil }
    let name = String(entry.dropLast(Self.valueSuffix.count))
    guard ExternalReference.isName(name) else { return nil }
    return [name.prefix(32), name.suffix(32)].map { seal?.shown(String($0)) ?? String($0) }.joined()
  }

  /// How long the file of a value is.
  func byteCount(of value: ExternalReference) -> Int {
    seal == nil ? value.valueByteCount : AgeFile.byteCount(ofContent: value.valueByteCount)
  }

  /// The digests of the values that a replica has put here. Throws `unusableFile` where something else lies in the
  /// folder's place.
  package func valueNames(of replica: ReplicaID) throws -> Set<String> {
    Set(try DurableFile.names(in: values(of: replica)).compactMap(valueName))
  }

  // MARK: Bytes

  private static let pieceBytes = 1 << 20

  /// Puts a value into a replica's folder, durably and piece by piece, and goes on where an earlier run was cut off.
  /// `copied`: the bytes that are there so far.
  func publish(
    _ data: Data, _ value: ExternalReference, of replica: ReplicaID, _ copied: (Int) -> Void = { _ in }
  ) throws {
    let file = file(value, of: replica)
    try DurableFile.publishGoingOn(
      named: file.lastPathComponent, in: file.deletingLastPathComponent(), sharing: sharing
    ) { put in
      var encryptor = try seal?.encryptor(of: value, at: file.path)
      var rest = data
      while !rest.isEmpty {
        try CancellationRequest.check()
        let piece = [UInt8](rest.prefix(Self.pieceBytes))
        rest = rest.dropFirst(piece.count)
        try put(try encryptor?.update(piece) ?? piece)
        copied(data.count - rest.count)
      }
      if let end = try encryptor?.finish() { try put(end) }
    }
  }

  /// Reads a value's file piece by piece, from one of the value's bytes on. An encrypted file is read, and decrypted,
  /// from its beginning all the same, for each of its chunks is proven with those before. Throws ``SyncError``
  /// `damagedFile` or `foreignFile` for what cannot be one, and what `take` throws; that it is this value only its
  /// digest tells.
  func read(
    _ value: ExternalReference, at file: URL, from start: Int = 0, _ take: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    var decryptor = seal?.decryptor()
    var count = seal == nil ? start : 0
    func give(_ plain: [UInt8]) throws {
      let known = min(max(0, start - count), plain.count)
      count += plain.count
      guard count <= value.valueByteCount else { throw Self.damage(file) }
      if known < plain.count { try take(plain[known...]) }
    }
    let isWhole = try DurableFile.read(
      file, inPiecesOf: Self.pieceBytes, ofLength: byteCount(of: value), from: count
    ) { piece in
      try CancellationRequest.check()
      try give(try decryptor?.update(piece, subject: file.path) ?? piece)
    }
    guard isWhole else { throw Self.damage(file) }
    if let end = try decryptor?.finish(subject: file.path) { try give(end) }
  }

  static func damage(_ file: URL) -> SyncError {
    SyncError(
      .damagedFile,
      "\(file.path) is incomplete or damaged, or is not the value that it is named after; another copy is taken when "
        + "one has arrived")
  }

  /// Copies a value's file from another folder. Returns false, and publishes nothing, where its content is not what the
  /// name says. `name`: the digest in hexadecimal.
  func publishValue(
    named name: String, of replica: ReplicaID, from source: ExchangeFolder, at file: URL
  ) throws -> Bool {
    guard let length = try DurableFile.size(of: file).flatMap(source.valueByteCount),
      let digest = ExternalReference.digest(of: name),
      let value = ExternalReference(digest: digest, byteCount: UInt64(length))
    else { return false }
    struct Mismatch: Error {}
    let place = self.file(value, of: replica)
    do {
      try DurableFile.publishGoingOn(
        named: place.lastPathComponent, in: place.deletingLastPathComponent(), sharing: sharing
      ) { put in
        var (hash, encryptor) = (SHA256(), try seal?.encryptor(of: value, at: place.path))
        try source.read(value, at: file) { piece in
          hash.update(data: piece)
          try put(try encryptor?.update(Array(piece)) ?? Array(piece))
        }
        guard Array(hash.finalize()) == digest else { throw Mismatch() }
        if let end = try encryptor?.finish() { try put(end) }
      }
    } catch is Mismatch {
      return false
    }
    return true
  }

  /// Removes the parts of values that cut-off runs have left in a replica's folder. `isDone`: whether a value, by its
  /// digest in hexadecimal, is not to be put there any more.
  func removeUnfinishedValues(of replica: ReplicaID, where isDone: (String) -> Bool) throws {
    try FileDraft.removeAbandoned(in: values(of: replica)) { valueName($0).map(isDone) ?? false }
  }

  /// How long the value in a file of some length is; nil where no file of a value is so long.
  func valueByteCount(ofFile count: Int) -> Int? {
    seal == nil ? count : AgeFile.contentByteCount(ofFile: count)
  }
}
