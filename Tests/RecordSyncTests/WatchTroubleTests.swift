import Foundation
import RecordStore
import Synchronization
import TestSupport
import Testing

@testable import RecordSync

/// What a watch tells of trouble, and which folders it hears of.
struct WatchTroubleTests {
  /// A watch that looks at the folder once an hour tried an hour later, or at the next save.
  @Test(arguments: [(poll: Duration.milliseconds(5), retry: Duration.seconds(60)), (.seconds(3_600), .milliseconds(5))])
  func `a full disk is told once, and once when it is over`(poll: Duration, retry: Duration) async throws {
    let phone = try TestReplica()
    func insert(_ number: UInt64) throws {
      try phone.save(phone.names.insert("Tag", fixtureID(number), ["name": .string("tag \(number)")]))
    }
    try insert(1)
    _ = try await phone.engine().sync()
    try insert(2)
    let isFull = Mutex(true)
    let changing: Set<FileCall> = [.create, .makeFolder, .rename]
    let root = phone.root.path + "/"
    let watcher: @Sendable (FileCall, String) -> Int32? = { call, path in
      changing.contains(call) && path.hasPrefix(root) && isFull.withLock(\.self) ? ENOSPC : nil
    }
    var options = WatchOptions()
    (options.pollInterval, options.greatestRetryDelay) = (poll, retry)
    let events = FileCall.$watcher.withValue(watcher) { phone.engine().watch(options) }
    var told: [String] = []
    var runCount = 0
    for await event in events {
      switch event {
      case .progress(.began(.export)): runCount += 1
      case .trouble(let sentence):
        told.append("trouble")
        #expect(sentence.contains("free some space"))
      case .over: told.append("over")
      case .progress, .synchronized, .warning: break
      }
      // Not before the trouble has met several runs.
      if runCount == 4 { isFull.withLock { $0 = false } }
      if told.last == "over" { break }
    }
    #expect(told == ["trouble", "over"])
    #expect(try await phone.engine().sync().filesExported == 0)
  }

  /// A process that was stopped in the middle of its run kept all others from synchronising, and none of them said so.
  @Test(.timeLimit(.minutes(TestLength.minutesUntilHung)))
  func `a process that keeps the others from a store for long is told of, once, and when it goes on`() async throws {
    let phone = try TestReplica()
    var options = WatchOptions()
    options.saveDelay = .milliseconds(1)
    options.greatestPatience = .milliseconds(5)
    var lock: DirectoryLock? = try DirectoryLock(phone.store.url, timeoutSeconds: 0)
    var told: [String] = []
    for await event in phone.engine().watch(options) {
      switch event {
      case .trouble(let sentence):
        #expect(lock != nil && sentence.contains("another synchronisation of \(phone.store.url.path) is running"))
        told.append("trouble")
        lock = nil
      case .over: told.append("over")
      case .synchronized: told.append("synchronized")
      case .progress, .warning: break
      }
      if told.last == "over" { break }
    }
    #expect(told == ["trouble", "synchronized", "over"])
  }
}
