import Foundation
import RecordStore

/// A file in a replica's stream folder: a change set by its name, or a conflict copy of one.
struct StreamFile: Hashable, Sendable {
  static let maximumFileBytes = ChangeSetHeader.maximumPayloadBytes + ChangeSetHeader.maximumSchemaBytes + (64 << 20)

  /// The folder in which it lies.
  var exchange: ExchangeFolder
  var url: URL
  var from: UInt64
  var to: UInt64
  /// The name that its content has: of a conflict copy not the one under which it lies.
  var name: ChangeSetName
  /// Where the file lies below the exchange folder's root, for messages.
  var path: String

  /// The intact change set. A damaged file is not there yet.
  func read(expecting folder: ExchangeFolder, replica: ReplicaID) throws -> ChangeSet {
    let bytes = try exchange.read(url, as: .changeSet(replica), limit: StreamFile.maximumFileBytes)
    let set = try ChangeSetCodec.decode(bytes, subject: path)
    guard set.storeID == folder.storeID else {
      throw SyncError(.foreignFile, "\(path) belongs to another store (\(set.storeID)); remove it from this folder")
    }
    guard set.replica == replica else {
      throw SyncError(.foreignFile, "\(path) lies in the folder of another replica than its author \(set.replica)")
    }
    // Where names are hidden, only a holder of the key can give a file another one.
    let isRenamed = exchange.seal != nil && ContentHash(of: bytes).name != name.hash
    let saysName = set.firstSequence == from && set.lastSequence == to && !isRenamed
    guard saysName || exchange.seal?.mutation == .nameNotBound else {
      throw SyncError(.foreignFile, "\(path) holds other transactions than its name says")
    }
    return set
  }

  /// Nil for a damaged file, which is not there yet and reported where streams are read, and for one that went away
  /// since its name was seen.
  func readIfIntact(expecting folder: ExchangeFolder, replica: ReplicaID) throws -> ChangeSet? {
    do {
      guard try DurableFile.item(at: url) != nil else { return nil }
      return try read(expecting: folder, replica: replica)
    } catch let error as SyncError where error.code != .inputOutput {
      return nil
    }
  }
}

/// One replica's stream as it lies in the folder.
struct StreamListing: Sendable {
  /// In order of the first sequence number.
  var files: [StreamFile] = []
  /// Conflict copies that hold no intact change set of this stream, and a folder that cannot be listed.
  var refused: [SyncReport.Refusal] = []
}

extension StreamListing {
  /// How far files, in order of their first transactions, lead on without a gap.
  static func reached(from have: UInt64, _ files: [StreamFile]) -> UInt64 {
    files.reduce(have) { $1.from <= $0 + 1 ? max($0, $1.to) : $0 }
  }

  /// Whether two files of different content hold transactions of one name: then the stream may be forked.
  static func overlap(_ files: [StreamFile]) -> Bool {
    let sorted = files.sorted { ($0.from, $0.to, $0.name.hash) < ($1.from, $1.to, $1.name.hash) }
    return zip(sorted, sorted.dropFirst()).contains { $1.from <= $0.to && $0.name != $1.name }
  }
}

extension ExchangeFolder {
  func publish(_ changeSet: [UInt8], _ name: ChangeSetName, of replica: ReplicaID) throws {
    try publish(changeSet, at: file(name, of: replica), as: .changeSet(replica))
  }

  func listing(of replica: ReplicaID) throws -> StreamListing {
    guard let memory = FolderMemory.current else { return try readListing(of: replica) }
    return try memory.listing(of: stream(of: replica)) { try readListing(of: replica) }
  }

  private func readListing(of replica: ReplicaID) throws -> StreamListing {
    var listing = StreamListing()
    let folder = stream(of: replica)
    let names: [String]
    do {
      names = try DurableFile.names(in: folder)
    } catch let error as SyncError where error.code == .unusableFile {
      listing.refused.append(SyncReport.Refusal(file: "r/\(replica)/s", reason: error.message))
      return listing
    }
    for name in names where ChangeSetName.mayBe(name) {
      let url = folder.appending(path: name)
      let path = "r/\(replica)/s/\(name)"
      if let parsed = changeSetName(name) {
        listing.files.append(
          StreamFile(
            exchange: self, url: url, from: parsed.from, to: parsed.to, name: parsed, path: path))
      } else {
        try add(copy: url, path: path, of: replica, to: &listing)
      }
    }
    listing.files.sort { ($0.from, $0.to, $0.path) < ($1.from, $1.to, $1.path) }
    return listing
  }

  /// A name of no known form, such as `… (conflicted copy).tcs`: what counts is the content. Reads the file, for only
  /// that tells whether it is another one than that whose name it resembles.
  private func add(copy url: URL, path: String, of replica: ReplicaID, to listing: inout StreamListing) throws {
    do {
      let bytes = try read(url, as: .changeSet(replica), limit: StreamFile.maximumFileBytes)
      let header = try ChangeSetHeader(bytes[...], subject: path)
      guard header.replica == replica, header.storeID == storeID else {
        throw SyncError(.foreignFile, "\(path) belongs to another store or replica")
      }
      let name = ChangeSetName(from: header.from, to: header.to, hash: ContentHash(of: bytes))
      listing.files.append(
        StreamFile(
          exchange: self, url: url, from: header.from, to: header.to, name: name, path: path))
    } catch let error as SyncError where error.code != .inputOutput {
      listing.refused.append(SyncReport.Refusal(file: path, reason: error.message))
    }
  }
}
