import Foundation
package import LMDB

extension StoreError {
  /// The store's word for what LMDB refused: the one place where its codes are translated.
  package init(_ error: LMDBError, store: String) {
    let (code, remedy) = Self.meaning(of: error.code)
    self.init(code, "the store at \(store) could not \(error.operation): \(error.detail); \(remedy)", cause: error)
    if let sentence = Self.sentence(for: error.code, store: store) { message = sentence }
  }

  /// Runs `body`; LMDB's errors leave as the store's, all others unchanged.
  package static func translating<Result>(store: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as LMDBError {
      throw StoreError(error, store: store)
    }
  }

  /// The sentence for a user without the right to a store, whichever of its files said so.
  ///
  /// A user that may read the data may still not write to the lock file, and without that a writer would not know of
  /// the reader: that case has a reason and a remedy of its own.
  static func refusal(ofStore store: String) -> String {
    let (data, lock) = (store + "/data.mdb", store + "/lock.mdb")
    let files = FileManager.default
    if files.isReadableFile(atPath: data), files.fileExists(atPath: lock), !files.isWritableFile(atPath: lock) {
      return "this user may read the store at \(store) but not write to its lock.mdb, where every reader enters "
        + "itself; let this user write to that file, or read a backup"
    }
    return "this user may not open the store at \(store); run as its owner, or change the permissions of its files"
  }

  private static func meaning(of code: LMDBError.Code) -> (Code, remedy: String) {
    switch code {
    case .noSuchFile: (.notFound, "check the path")
    case .invalidFile: (.notAStore, "choose another path")
    case .versionMismatch: (.newerFormat, "use the version that wrote it")
    case .corrupted, .pageNotFound, .incompatible, .notFound, .keyExists:
      (.damaged, "run `tandem check` on it and restore a copy")
    case .busy: (.busy, "close its other users and try again")
    case .timedOut: (.busy, "try again, or end that process")
    case .filesReplaced: (.filesReplaced, "then repeat the save")
    case .formerLog: (.olderFormat, "nothing was changed")
    case .diskFull: (.diskFull, "free some space and try again")
    case .mapFull:
      (.inputOutput, "save in smaller steps, outside of a read, or let the process have more address space")
    case .readOnlyFileSystem: (.readOnlyFileSystem, "open it for reading only")
    case .accessDenied: (.permissionDenied, "run as its owner, or change its permissions")
    case .readersFull: (.readersFull, "end some of the processes that read it")
    case .outcomeUnknown: (.commitOutcomeUnknown, "close it, open it again and look")
    case .panic: (.inputOutput, "an earlier save failed on the device; close it everywhere and open it again")
    case .badValueSize, .transactionFull: (.invalidRequest, "make the request smaller")
    case .inputOutput: (.inputOutput, "check the disk")
    case .flushFailed:
      (.inputOutput, "nothing of it counts; check the disk, close the store everywhere and open it again")
    case .outOfMemory: (.inputOutput, "raise the process's limit of address space (ulimit -v), or open a smaller map")
    case .other(let number): (.inputOutput, remedy(for: number) ?? "close it and open it again")
    case .mapResized, .databasesFull, .badTransaction, .badReaderSlot, .databaseOpenedLater:
      (.inputOutput, "close it and open it again")
    }
  }

  /// Where LMDB's own words would not help, a whole sentence.
  private static func sentence(for code: LMDBError.Code, store: String) -> String? {
    switch code {
    case .noSuchFile: "there is no store at \(store); check the path, or create one first"
    case .invalidFile: "the file at \(store) is not a store of this library; choose another path"
    case .versionMismatch:
      "the store at \(store) was written by another generation of LMDB; dump it with the version of this tool "
        + "that wrote it and load the dump with this one"
    case .diskFull: "the disk that holds the store at \(store) is full; free some space and try again"
    case .readOnlyFileSystem:
      "the store at \(store) is on a read-only file system; mount it for writing, or open the store for reading only"
    case .accessDenied: refusal(ofStore: store)
    case .readersFull:
      "the store at \(store) has no free slot for another reader; end some of the processes that read it"
    case .outcomeUnknown:
      "the device failed while a save was written to the store at \(store), so the save may or may not be there; "
        + "close the store, open it again and look before repeating it"
    default: nil
    }
  }
}
