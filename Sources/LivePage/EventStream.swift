import Hummingbird
import NIOCore
import StoreInspection

/// Server-sent events: lines that a browser reads as they come, for as long as the page is open.
enum EventStream {
  static func body(of hub: EventHub) throws(PageRefusal) -> ResponseBody {
    let events = try hub.open()
    return ResponseBody { writer in
      defer { hub.close() }
      // At once, so that the page knows that it is connected.
      try await writer.write(ByteBuffer(string: ": connected\n\n"))
      for await event in events { try await writer.write(ByteBuffer(string: text(of: event))) }
      try await writer.finish(nil)
    }
  }

  /// JSON has no line ends of its own: they are escaped in texts.
  private static func text(of event: EventHub.Event) -> String {
    switch event {
    case .news(let news): "data: \(news)\n\n"
    case .beat: ":\n\n"
    case .end(let reason): "event: end\ndata: \(JSON.object([.init("reason", .string(reason))]))\n\n"
    }
  }
}
