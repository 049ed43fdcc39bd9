import Synchronization
import Testing

@testable import RecordStore

/// Events on their way to all that listen.
struct EventFeedTests {
  @Test func `an event is made only where somebody listens`() {
    let feed = EventFeed<Int>()
    let made = Atomic(0)
    func event() -> Int { made.add(1, ordering: .relaxed).newValue }
    feed.send(event())
    #expect(made.load(ordering: .relaxed) == 0 && !feed.hasListeners)
    let observation = feed.observe { _ in }
    feed.send(event())
    #expect(made.load(ordering: .relaxed) == 1 && feed.hasListeners)
    observation.end()
    feed.send(event())
    #expect(made.load(ordering: .relaxed) == 1 && !feed.hasListeners)
  }

  @Test func `every listener gets every event in order, and the end`() async {
    let feed = EventFeed<Int>()
    let streams = (0..<3).map { _ in feed.stream() }
    for number in 0..<100 { feed.send(number) }
    feed.end()
    for stream in streams {
      var found: [Int] = []
      for await number in stream { found.append(number) }
      #expect(found == Array(0..<100))
    }
  }

  @Test func `a slow listener loses the oldest events, and no other`() async {
    let feed = EventFeed<Int>()
    let stream = feed.stream()
    let count = EventFeed<Int>.bufferedCount
    for number in 0..<count + 5 { feed.send(number) }
    feed.end()
    var found: [Int] = []
    for await number in stream { found.append(number) }
    #expect(found == Array(5..<count + 5))
  }

  @Test func `a listener that comes after the end gets the end`() async {
    let feed = EventFeed<Int>()
    feed.end()
    var count = 0
    for await _ in feed.stream() { count += 1 }
    #expect(count == 0 && !feed.hasListeners)
  }

  @Test func `a listener goes with its stream, and a feed's end is that of its streams`() async {
    let feed = Mutex<EventFeed<Int>?>(EventFeed())
    let stream = feed.withLock { $0?.stream() }
    await Task { for await _ in stream! { return } }.cancelled()
    #expect(feed.withLock { $0?.hasListeners } == false)
    let last = feed.withLock { $0?.stream() }
    feed.withLock { $0 = nil }
    for await _ in last! { Issue.record("nothing was sent") }
  }

  @Test func `events come while a body runs, and not afterwards`() async {
    let feed = EventFeed<Int>()
    let found = Mutex<[Int]>([])
    await feed.listening({ event in found.withLock { $0.append(event) } }) {
      feed.send(1)
      feed.send(2)
    }
    feed.send(3)
    #expect(found.withLock { $0 } == [1, 2])
  }
}

extension Task where Success == Void, Failure == Never {
  /// Waits for the end of a task that is cancelled.
  fileprivate func cancelled() async {
    cancel()
    await value
  }
}
