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

    func perform(_ jobs: [WriterQueue.Job]) {
      if isBusy.exchange(true, ordering: .sequentiallyConsistent) {
        overlaps.add(1, ordering: .sequentiallyConsistent)
      }
      writes.add(jobs.count, ordering: .sequentiallyConsistent)
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

  /// Writes that wait for another one share a commit; one that throws after it has written takes none along.
  @Test func `writes of many threads are there or were refused, each by itself`() throws {
    try withTemporaryStore { store throws in
      let names = try FixtureNames(store)
      let note = { (writer: Int, step: Int) in fixtureID(UInt64(1 + writer * 40 + step)) }
      let isRefused = { (writer: Int, step: Int) in step % 5 == writer % 5 }
      DispatchQueue.concurrentPerform(iterations: 8) { writer in
        for step in 0..<40 {
          let request = SaveRequest(changes: [names.insert("Note", note(writer, step))])
          let result = Result {
            try store.commit {
              _ throws in
              (request, ())
            } concluding: { snapshot, _, _ throws in
              #expect(try snapshot.record(note(writer, step), of: names.entity("Note")) != nil)
              if isRefused(writer, step) { throw Refused() }
              return ([], ())
            }
          }
          switch result {
          case .success: #expect(!isRefused(writer, step))
          case .failure(let error): #expect(error is Refused && isRefused(writer, step))
          }
        }
      }
      for (writer, step) in (0..<8).flatMap({ writer in (0..<40).map { (writer, $0) } }) {
        #expect(try store.isVisible("Note", note(writer, step)) == !isRefused(writer, step))
      }
      #expect(try store.read { $0.lastTransactionNumber } == 256)
    }
  }

  @Test func `writes of many threads run one at a time, each once`() throws {
    let recorder = Recorder()
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
