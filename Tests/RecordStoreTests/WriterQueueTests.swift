import Foundation
import LMDB
import Synchronization
import TestSupport
import Testing

@testable import RecordStore

/// On which thread a write runs, and when.
struct WriterQueueTests {
  /// Counts what a queue asks for, and sees to it that it asks for one thing at a time.
  private final class Recorder: Sendable {
    struct Done: Error {}
    let isBusy = Atomic(false)
    let overlaps = Atomic(0)
    let writes = Atomic(0)
    /// How long the device takes.
    let nanoseconds: UInt64

    init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    func perform(_ jobs: [WriterQueue.Job]) {
      if isBusy.exchange(true, ordering: .sequentiallyConsistent) {
        overlaps.add(1, ordering: .sequentiallyConsistent)
      }
      writes.add(jobs.count, ordering: .sequentiallyConsistent)
      let end = DispatchTime.now().uptimeNanoseconds + nanoseconds
      while DispatchTime.now().uptimeNanoseconds < end {}
      isBusy.store(false, ordering: .sequentiallyConsistent)
      for job in jobs { job.finish(Done()) }
    }
  }

  @Test func `a write that finds no other one runs on its caller's thread`() throws {
    try withTemporaryStore { store throws in
      let caller = ObjectIdentifier(Thread.current)
      let (_, isCaller) = try store.commit { _ throws in (SaveRequest(), ObjectIdentifier(Thread.current) == caller) }
      #expect(isCaller)
    }
  }

  /// Rules go as deep as the chains of records that are there.
  @Test func `a write of a caller with a small stack runs on another thread`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let note = names.insert("Note", fixtureID(1))
      let outcome = Mutex<Result<Bool, any Error>?>(nil)
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        let caller = ObjectIdentifier(Thread.current)
        let result = Result {
          try store.commit { _ throws in (SaveRequest(changes: [note]), ObjectIdentifier(Thread.current) == caller) }.1
        }
        outcome.withLock { $0 = result }
        isDone.signal()
      }
      thread.stackSize = 512 << 10
      thread.start()
      isDone.wait()
      #expect(try outcome.withLock { try $0?.get() } == false)
      #expect(try store.isVisible("Note", fixtureID(1)))
    }
  }

  private struct Refused: Error {}

  /// A write of a new record, and whether it throws after it has written.
  private struct RecordWrite: Sendable {
    let id: RecordID
    let isRefused: Bool

    static func all(of writer: Int) -> [RecordWrite] {
      (0..<40).map { step in
        RecordWrite(id: fixtureID(UInt64(1 + writer * 40 + step)), isRefused: step % 5 == writer % 5)
      }
    }
  }

  /// Writes that wait for another one share a commit; one that throws after it has written takes none along.
  @Test func `writes of many threads are there or were refused, each by itself`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let entity = names.entity("Note")
      DispatchQueue.concurrentPerform(iterations: 8) { writer in
        for write in RecordWrite.all(of: writer) {
          let request = SaveRequest(changes: [.insert(entity: entity, id: write.id, fields: [])])
          let result = Result {
            try store.commit {
              _ throws in
              (request, ())
            } concluding: { snapshot, _, _ throws in
              #expect(try snapshot.record(write.id, of: entity) != nil)
              if write.isRefused { throw Refused() }
              return ([], ())
            }
          }
          switch result {
          case .success: #expect(!write.isRefused)
          case .failure(let error): #expect(error is Refused && write.isRefused)
          }
        }
      }
      for write in (0..<8).flatMap(RecordWrite.all) {
        #expect(try store.isVisible("Note", write.id) == !write.isRefused)
      }
      #expect(try store.read { try $0.lastTransactionNumber } == 256)
    }
  }

  /// Commits of the longer kind wait for each other's callers.
  @Test(arguments: [0, 2 * WriteGathering.shortestCommit])
  func `writes of many threads run one at a time, each once`(nanoseconds: UInt64) throws {
    let recorder = Recorder(nanoseconds: nanoseconds)
    let queue = WriterQueue(name: "test") { recorder.perform($0) }
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<200 {
        #expect(throws: Recorder.Done.self) {
          try queue.perform(timeoutSeconds: 0) { _, layout throws in ((), layout) }
        }
      }
    }
    #expect(recorder.writes.load(ordering: .sequentiallyConsistent) == 1_600)
    #expect(recorder.overlaps.load(ordering: .sequentiallyConsistent) == 0)
  }
}
