package import LocalizedTexts

/// The language of what is said, with the region of its dates and money.
package typealias AppLocale = TextLocale<AppLanguage>
