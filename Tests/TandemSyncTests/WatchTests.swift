import Foundation
import Synchronization
import Tandem
import TandemSync
import Testing

/// Watching goes on through all that the world does.
struct WatchTests {
  private var quick: WatchOptions {
    var options = WatchOptions()
    options.saveDelay = .milliseconds(20)
    options.arrivalDelay = .milliseconds(10)
    return options
  }

  /// Looks often, where nothing is heard.
  private var impatient: WatchOptions {
    var options = quick
    options.pollInterval = .milliseconds(20)
    return options
  }

  @Test func `saves of one device reach the other while both watch, and the end is the consumer's`() async throws {
    try await Devices.with { devices in
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop"))
      let engines = try [phone, laptop].map { try SyncEngine(container: $0, folder: devices.folder) }
      let watching = engines.map { engine in Task { for await _ in engine.watch(quick) {} } }
      try add("milk", to: phone)
      try await expect(["milk"], in: laptop)
      try add("bread", to: laptop)
      try await expect(["bread", "milk"], in: phone)
      for task in watching { task.cancel() }
      for task in watching { await task.value }
    }
  }

  @Test func `a run that is cancelled ends early, and the next one goes on`() async throws {
    try await Devices.with { devices in
      let (phone, laptop) = (try devices.container("phone"), try devices.container("laptop"))
      for number in 0..<20 { try add("note \(number)", to: phone) }
      var small = SyncOptions()
      small.changeSetBytes = 1
      _ = try await SyncEngine(container: phone, folder: devices.folder, options: small).sync()
      let engine = Mutex<SyncEngine?>(nil)
      var options = SyncOptions()
      options.recordsPerCommit = 1
      options.progress = { if case .merged = $0 { engine.withLock { $0?.cancel() } } }
      let made = try SyncEngine(container: laptop, folder: devices.folder, options: options)
      engine.withLock { $0 = made }
      await #expect(throws: CancellationError.self) { try await made.sync() }
      #expect(try (1..<20).contains(texts(laptop).count))
      engine.withLock { $0 = nil }
      _ = try await made.sync()
      #expect(try texts(laptop).count == 20)
    }
  }

  @Test func `a container synchronises by itself, without its maker holding it, until it is told to stop`() async throws
  {
    try await Devices.with { devices in
      let laptop = try devices.container("laptop")
      let there = try AutomaticSync(container: laptop, folder: devices.folder, watch: quick)
      var phone: ModelContainer? = try devices.container("phone")
      let here = try AutomaticSync(container: #require(phone), folder: devices.folder, watch: quick)
      try add("milk", to: #require(phone))
      phone = nil
      try await expect(["milk"], in: laptop)
      await here.stop()
      try add("bread", to: laptop)
      try await there.sync()
      let again = try devices.container("phone")
      #expect(try texts(again) == ["milk"], "nothing is merged after the end")
      var events = here.events.makeAsyncIterator()
      #expect(await events.next() == nil)
      await there.stop()
    }
  }

  @Test func `between two runs of a watch lies the least interval, unless one asks by hand`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      var resting = impatient
      resting.minimumInterval = .seconds(3_600)
      let engine = try SyncEngine(container: phone, folder: devices.folder)
      var events = engine.watch(resting).makeAsyncIterator()
      let first = await next(&events) { $0 == "synchronized" }
      try #require(first == [])
      try add("milk", to: phone)
      // A device that does not rest has published what it saved later, and more than once.
      let laptop = try devices.container("laptop")
      let busy = try AutomaticSync(container: laptop, folder: devices.folder, watch: impatient)
      let tablet = try devices.container("tablet")
      let reader = try AutomaticSync(container: tablet, folder: devices.folder, watch: impatient)
      for text in ["bread", "salt", "oil"] {
        try add(text, to: laptop)
        while try !texts(tablet).contains(text) { _ = try await reader.sync() }
      }
      #expect(try texts(tablet) == ["bread", "oil", "salt"])
      _ = try await engine.sync()
      try await reader.sync()
      #expect(try texts(tablet) == ["bread", "milk", "oil", "salt"])
      for each in [busy, reader] { await each.stop() }
      engine.cancel()
      let rest = await next(&events) { $0 == "synchronized" }
      #expect(rest == ["the end"], "no run of its own")
    }
  }

  @Test func `a folder that goes away is told once, and once when it is back`() async throws {
    try await Devices.with { devices in
      let phone = try devices.container("phone")
      let engine = try SyncEngine(container: phone, folder: devices.folder)
      _ = try await engine.sync()
      var events = engine.watch(impatient).makeAsyncIterator()
      // Not within the macro: the compiler mixes up its closure with the next one.
      let first = await next(&events) { $0 == "synchronized" }
      try #require(first == [])
      let away = devices.root.appending(path: "unmounted")
      try FileManager.default.moveItem(at: devices.folder, to: away)
      let gone = await next(&events) { $0.hasPrefix("trouble") }
      #expect(gone == [])
      try add("milk", to: phone)
      try FileManager.default.moveItem(at: away, to: devices.folder)
      // What was saved meanwhile is published in the run that ends the trouble.
      let back = await next(&events) { $0.hasPrefix("over") }
      #expect(back.filter { $0 != "synchronized" } == [], "each trouble is told once")
      let laptop = try devices.container("laptop")
      while try texts(laptop) != ["milk"] {
        _ = try await SyncEngine(container: laptop, folder: devices.folder).sync()
      }
      engine.cancel()
      while await events.next() != nil {}
    }
  }

  /// Reads on to an event that fits, and returns what came before it, steps left out.
  private func next(
    _ events: inout AsyncStream<WatchEvent<SyncReport>>.Iterator, _ fits: (String) -> Bool
  ) async -> [String] {
    var before: [String] = []
    while let event = await events.next() {
      let text: String? =
        switch event {
        case .progress: nil
        case .synchronized: "synchronized"
        case .warning(let sentence): "warning: \(sentence)"
        case .trouble(let sentence): "trouble: \(sentence)"
        case .over(let sentence): "over: \(sentence)"
        }
      guard let text else { continue }
      if fits(text) { return before }
      before.append(text)
    }
    return before + ["the end"]
  }
}
