import Foundation
import LMDB
import TestSupport
import Testing

@testable import RecordStore

/// The store's word for each trouble of LMDB's and of the system's: a code that is true, and a sentence with the
/// remedy.
struct StoreErrorTests {
  /// Damage is what restoring heals; a device that fails, a full disk and missing rights are not damage.
  static let codes: [(lmdb: LMDBError.Code, code: StoreError.Code)] = [
    (.noSuchFile, .notFound), (.invalidFile, .notAStore), (.versionMismatch, .newerFormat), (.corrupted, .damaged),
    (.pageNotFound, .damaged), (.incompatible, .damaged), (.notFound, .damaged), (.keyExists, .damaged),
    (.busy, .busy), (.timedOut, .busy), (.filesReplaced, .filesReplaced), (.formerLog, .olderFormat),
    (.diskFull, .diskFull), (.mapFull, .inputOutput), (.readOnlyFileSystem, .readOnlyFileSystem),
    (.accessDenied, .permissionDenied), (.readersFull, .readersFull), (.outcomeUnknown, .commitOutcomeUnknown),
    (.panic, .inputOutput), (.badValueSize, .invalidRequest), (.transactionFull, .invalidRequest),
    (.inputOutput, .inputOutput), (.flushFailed, .inputOutput), (.outOfMemory, .inputOutput),
    (.mapResized, .inputOutput), (.databasesFull, .inputOutput), (.badTransaction, .inputOutput),
    (.badReaderSlot, .inputOutput), (.databaseOpenedLater, .inputOutput), (.other(99), .inputOutput),
  ]

  @Test(arguments: codes) func `each code of LMDB has its meaning for a store`(
    lmdb: LMDBError.Code, code: StoreError.Code
  ) {
    let cause = LMDBError(lmdb, operation: "save", detail: "the detail")
    let error = StoreError(cause, store: "/a/b.store")
    #expect(error.code == code)
    #expect((error.cause as? LMDBError)?.code == lmdb)
    #expect(error.message.contains("/a/b.store"), "it names the store")
    #expect(error.message.contains(";"), "it names a remedy behind the trouble: \(error.message)")
    #expect(!error.message.hasSuffix(".") && !error.message.contains("\n"), "one sentence, as part of a line")
    #expect(error.description == error.message && error.localizedDescription == error.message)
  }

  @Test func `a limit of the process that LMDB meets has the remedy of the same limit elsewhere`() {
    for number in [EMFILE, ENFILE, EFBIG, ELOOP, ENAMETOOLONG] {
      let error = StoreError(LMDBError(.other(number), operation: "open", detail: "the detail"), store: "/a/b.store")
      let same = StoreError(systemError: number, doing: "open", path: "/a/b.store")
      let remedies = [error, same].map { $0.message.split(separator: "; ").last }
      #expect(remedies[0] == remedies[1] && !error.message.contains("close it"), "\(error)")
    }
  }

  @Test func `an error of LMDB is translated, and any other goes through`() throws {
    struct Other: Error, Equatable {}
    let cause = LMDBError(.diskFull, operation: "save", detail: "no space")
    #expect(storeErrorCode { try StoreError.translating(store: "/a") { throw cause } } == .diskFull)
    #expect(throws: Other()) { try StoreError.translating(store: "/a") { throw Other() } }
    let own = StoreError(.busy, "wait")
    #expect(storeErrorCode { try StoreError.translating(store: "/a") { throw own } } == .busy)
    #expect(try StoreError.translating(store: "/a") { 5 } == 5)
  }

  static let systemCodes: [(number: Int32, code: StoreError.Code)] = [
    (ENOENT, .notFound), (ENOTDIR, .notFound), (EACCES, .permissionDenied), (EPERM, .permissionDenied),
    (EROFS, .readOnlyFileSystem), (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EIO, .inputOutput), (EMFILE, .inputOutput),
    (ENFILE, .inputOutput), (ENOMEM, .inputOutput), (ELOOP, .inputOutput), (EISDIR, .inputOutput),
    (EBUSY, .inputOutput),
  ]

  @Test(arguments: systemCodes) func `each number of the system has its meaning for a store`(
    number: Int32, code: StoreError.Code
  ) {
    let error = StoreError(systemError: number, doing: "read the place", path: "/a/b")
    #expect(error.code == code)
    #expect((error.cause as? NSError)?.code == Int(number))
    #expect(error.message.hasPrefix("cannot read the place at /a/b: \(String(cString: strerror(number))); "))
    let foundation = NSError(
      domain: NSCocoaErrorDomain, code: 1,
      userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(number))])
    #expect(StoreError(foundation, doing: "read", path: "/a").code == code)
  }

  @Test func `an error of Foundation's that has no number of the system's is one of the device`() {
    let error = StoreError(NSError(domain: "other", code: 5), doing: "read", path: "/a")
    #expect(error.code == .inputOutput)
  }

  @Test func `codes are equal by their names, and print them`() {
    let codes: [StoreError.Code] = [
      .notFound, .notAStore, .newerFormat, .olderFormat, .filesReplaced, .damaged, .busy, .diskFull,
      .readOnlyFileSystem,
      .permissionDenied, .networkFileSystem, .readersFull, .incompatibleSchema, .backwardMigration,
      .uniquenessViolation,
      .deleteDenied, .countViolation, .recordNotFound, .invalidRequest, .invalidIdentifier, .historyTokenExpired,
      .commitOutcomeUnknown, .readOnly, .inputOutput, .invalidSchema,
    ]
    #expect(Set(codes).count == codes.count && Set(codes.map(\.description)).count == codes.count)
    for code in codes { #expect(StoreError.Code(code.description) == code) }
    #expect(StoreError.Code.diskFull.description == "diskFull")
  }

  // MARK: Rights

  @Test func `a user who may read the data but not enter itself among the readers gets a remedy of its own`() throws {
    let folder = try makeTemporaryFolder()
    let store = folder.path
    #expect(StoreError.refusal(ofStore: store).hasPrefix("this user may not open the store at \(store); run as"))
    try Data([1]).write(to: folder.appendingPathComponent("data.mdb"))
    #expect(StoreError.refusal(ofStore: store).hasPrefix("this user may not open the store at \(store); run as"))
    try FileManager.default.removeItem(at: folder)
  }
}
