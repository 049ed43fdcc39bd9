import AgeEncryption
import Crypto
import Foundation
package import RecordStore

// `r/<replica>/b/<digest>.tlv`: a large value, or one of its pieces under the name that ``ValueSlice`` gives. The
// content is these bytes of the value and nothing else; the digest is the value's SHA-256. Where the family has a key,
// each half of the digest is hidden as hashes in other names are, and the file is an age file, the same whenever and on
// whichever device it is written. No code and no signature stands in it: only a value is taken that a file of the
// family names by its digest.
extension ExchangeFolder {
  func values(of replica: ReplicaID) -> URL { folder(of: replica).appending(path: "b") }

  func file(_ value: ExternalReference, of replica: ReplicaID) -> URL { file(ValueSlice(value), of: replica) }

  func file(_ slice: ValueSlice, of replica: ReplicaID) -> URL {
    values(of: replica).appending(path: slice.fileName(digest: lyingDigest(slice.value.name)))
  }

  /// The digest that stands in the names of a value's files here.
  func lyingDigest(_ name: String) -> String {
    [name.prefix(32), name.suffix(32)].map { seal?.hidden(String($0)) ?? String($0) }.joined()
  }

  /// The digest of the value of which a file holds a part, by its name, in hexadecimal; nil for names of another form.
  func valueName(_ entry: String) -> String? {
    guard let name = ValueSlice.digest(in: entry) else { return nil }
    return [name.prefix(32), name.suffix(32)].map { seal?.shown(String($0)) ?? String($0) }.joined()
  }

  /// How long the file is.
  func byteCount(of slice: ValueSlice) -> Int {
    seal == nil ? slice.range.count : AgeFile.byteCount(ofContent: slice.range.count)
  }

  /// The digests of the values that a replica has put here, some in part. Throws `unusableFile` where something else
  /// lies in the folder's place.
  package func valueNames(of replica: ReplicaID) throws -> Set<String> {
    Set(try DurableFile.names(in: values(of: replica)).compactMap(valueName))
  }

  /// Removes a replica's files of a value. `name`: the digest in hexadecimal.
  func removeValue(named name: String, of replica: ReplicaID) throws {
    let folder = values(of: replica)
    for entry in try DurableFile.names(in: folder) where valueName(entry) == name {
      try DurableFile.remove(folder.appending(path: entry))
    }
  }

  // MARK: Bytes

  /// So many bytes are in memory.
  private static let stepBytes = 1 << 20

  /// Puts a value, or a part of it, into a replica's folder, durably and step by step, and goes on where an earlier run
  /// was cut off. `data`: all of the value. `copied`: the bytes that are there so far.
  func publish(
    _ data: Data, _ slice: ValueSlice, of replica: ReplicaID, _ copied: (Int) -> Void = { _ in }
  ) throws {
    let file = file(slice, of: replica)
    try DurableFile.publishGoingOn(
      named: file.lastPathComponent, in: file.deletingLastPathComponent(), sharing: sharing
    ) { put in
      var encryptor = try seal?.encryptor(of: slice, at: file.path)
      var rest = data.dropFirst(slice.range.lowerBound).prefix(slice.range.count)
      while !rest.isEmpty {
        try CancellationRequest.check()
        let step = [UInt8](rest.prefix(Self.stepBytes))
        rest = rest.dropFirst(step.count)
        try put(try encryptor?.update(step) ?? step)
        copied(slice.range.count - rest.count)
      }
      if let end = try encryptor?.finish() { try put(end) }
    }
  }

  /// Reads a file of a value step by step, from one of the value's bytes on. An encrypted file is read, and decrypted,
  /// from its beginning all the same, for each of its chunks is proven with those before. Throws ``SyncError``
  /// `damagedFile` or `foreignFile` for what cannot be one, and what `take` throws; that it is this value only its
  /// digest tells.
  func read(
    _ slice: ValueSlice, at file: URL, from start: Int = 0, _ take: (ArraySlice<UInt8>) throws -> Void
  ) throws {
    var decryptor = seal?.decryptor()
    // Both are counted from the beginning of the file's content.
    let start = max(0, start - slice.range.lowerBound)
    var count = seal == nil ? start : 0
    func give(_ plain: [UInt8]) throws {
      let known = min(max(0, start - count), plain.count)
      count += plain.count
      guard count <= slice.range.count else { throw Self.damage(file) }
      if known < plain.count { try take(plain[known...]) }
    }
    let isWhole = try DurableFile.read(
      file, inPiecesOf: Self.stepBytes, ofLength: byteCount(of: slice), from: count
    ) { step in
      try CancellationRequest.check()
      try give(try decryptor?.update(step, subject: file.path) ?? step)
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

  /// The value in a file that has all of it, by the file's name and length; nil where there is no such.
  func value(named name: String, at file: URL) throws -> ExternalReference? {
    guard let length = try DurableFile.size(of: file), let digest = ExternalReference.digest(of: name) else {
      return nil
    }
    let count = seal == nil ? length : AgeFile.contentByteCount(ofFile: length)
    return count.flatMap { ExternalReference(digest: digest, byteCount: UInt64($0)) }
  }

  /// Copies a value from files of another folder, which have all of it in their order. Returns false, and publishes
  /// nothing, where the content is not what the name says.
  func publish(
    _ value: ExternalReference, of replica: ReplicaID, from source: ExchangeFolder, at files: [(ValueSlice, URL)]
  ) throws -> Bool {
    struct Mismatch: Error {}
    let place = self.file(value, of: replica)
    do {
      try DurableFile.publishGoingOn(
        named: place.lastPathComponent, in: place.deletingLastPathComponent(), sharing: sharing
      ) { put in
        var (hash, encryptor) = (SHA256(), try seal?.encryptor(of: ValueSlice(value), at: place.path))
        for (slice, file) in files {
          try source.read(slice, at: file) { step in
            hash.update(data: step)
            try put(try encryptor?.update(Array(step)) ?? Array(step))
          }
        }
        guard Array(hash.finalize()) == value.digest else { throw Mismatch() }
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
}
