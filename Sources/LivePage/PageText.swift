/// The page as a browser gets it: one document, whose own script and style alone may run.
struct PageText {
  let html: String
  /// The value of `Content-Security-Policy`.
  let policy: String

  /// `nonce` is new for every document, so that nothing that gets into the page can name it.
  init(nonce: String) {
    html = PageText.template.replacing("{{nonce}}", with: nonce)
    policy = [
      "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "connect-src 'self'",
      // The diagram of a schema, which a page without rights of its own shows as a picture.
      "img-src blob: data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
  }

  private static let template = text(PackageResources.page_html)
    .replacing("{{style}}", with: text(PackageResources.page_css))
    .replacing("{{script}}", with: text(PackageResources.page_js))

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
