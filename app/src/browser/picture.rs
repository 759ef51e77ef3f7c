//! Pictures made smaller, in the page or in a worker, and made into PNGs, in the page.

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// `Blob`, to be read as a picture.
    type Blob;

    #[wasm_bindgen(constructor)]
    fn new(parts: &Array, options: &JsValue) -> Blob;
    #[wasm_bindgen(method, js_name = arrayBuffer)]
    fn array_buffer(this: &Blob) -> Promise;

    #[wasm_bindgen(catch, js_name = createImageBitmap)]
    fn create_image_bitmap(blob: &Blob) -> Result<Promise, JsValue>;

    /// `ImageBitmap`, a picture that was read.
    type ImageBitmap;

    #[wasm_bindgen(method, getter)]
    fn width(this: &ImageBitmap) -> u32;
    #[wasm_bindgen(method, getter)]
    fn height(this: &ImageBitmap) -> u32;
    #[wasm_bindgen(method)]
    fn close(this: &ImageBitmap);

    /// `HTMLImageElement`, which reads drawings too.
    type Image;

    #[wasm_bindgen(constructor)]
    fn new() -> Image;
    #[wasm_bindgen(method, setter)]
    fn set_src(this: &Image, address: &str);
    #[wasm_bindgen(method)]
    fn decode(this: &Image) -> Promise;
    #[wasm_bindgen(method, getter, js_name = naturalWidth)]
    fn natural_width(this: &Image) -> u32;
    #[wasm_bindgen(method, getter, js_name = naturalHeight)]
    fn natural_height(this: &Image) -> u32;

    /// `OffscreenCanvas`.
    type OffscreenCanvas;

    #[wasm_bindgen(constructor, catch)]
    fn new(width: u32, height: u32) -> Result<OffscreenCanvas, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getContext)]
    fn get_context(this: &OffscreenCanvas, kind: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = convertToBlob)]
    fn convert_to_blob(this: &OffscreenCanvas, options: &JsValue) -> Result<Promise, JsValue>;
}

/// A picture whose longer side has no more than so many pixels, in the format it had; nothing where it is small enough, or the browser
/// cannot read it, or cannot write its format.
pub(crate) async fn fitted(bytes: &[u8], longest: u32) -> Option<Vec<u8>> {
    // What browsers write. A GIF would lose what moves.
    let media_type = match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, ..] => "image/jpeg",
        [b'R', b'I', b'F', b'F', ..] => "image/webp",
        _ => return None,
    };
    let blob = Blob::new(&Array::of1(&Uint8Array::from(bytes)), &typed(media_type));
    let bitmap = JsFuture::from(create_image_bitmap(&blob).ok()?).await.ok()?.unchecked_into::<ImageBitmap>();
    let smaller = smaller(&bitmap, longest, media_type).await;
    bitmap.close();
    smaller
}

async fn smaller(bitmap: &ImageBitmap, longest: u32, media_type: &str) -> Option<Vec<u8>> {
    let (width, height) = fitting(bitmap.width(), bitmap.height(), longest)?;
    let canvas = drawn(bitmap, width, height).ok()?;
    let written = JsFuture::from(canvas.convert_to_blob(&typed(media_type)).ok()?).await.ok()?;
    // A browser that does not know a format writes another.
    let kind = Reflect::get(&written, &"type".into()).ok()?.as_string()?;
    if kind != media_type {
        return None;
    }
    let buffer = JsFuture::from(written.unchecked_into::<Blob>().array_buffer()).await.ok()?;
    Some(Uint8Array::new(&buffer).to_vec())
}

/// The picture at a `data:` or `blob:` address as a PNG, in a `Blob`.
pub(super) async fn png_of(address: &str) -> Result<JsValue, JsValue> {
    let image = Image::new();
    image.set_src(address);
    JsFuture::from(image.decode()).await?;
    let canvas = drawn(&image, image.natural_width(), image.natural_height())?;
    JsFuture::from(canvas.convert_to_blob(&typed("image/png"))?).await
}

/// A canvas with a picture on all of it.
fn drawn(picture: &JsValue, width: u32, height: u32) -> Result<OffscreenCanvas, JsValue> {
    let canvas = OffscreenCanvas::new(width, height)?;
    let context = canvas.get_context("2d")?;
    let draw = Reflect::get(&context, &"drawImage".into())?.dyn_into::<Function>()?;
    let place: [JsValue; 5] = [picture.clone(), 0.into(), 0.into(), width.into(), height.into()];
    Reflect::apply(&draw, &context, &place.iter().collect::<Array>())?;
    Ok(canvas)
}

fn typed(media_type: &str) -> JsValue {
    let options = Object::new();
    Reflect::set(&options, &"type".into(), &media_type.into()).expect("a fresh object takes properties");
    options.into()
}

/// The sides of a picture after it was made to fit; nothing where it does.
fn fitting(width: u32, height: u32, longest: u32) -> Option<(u32, u32)> {
    let longer = width.max(height);
    let scaled = |side: u32| u32::try_from(u64::from(side) * u64::from(longest) / u64::from(longer)).unwrap_or(longest);
    (longer > longest).then(|| (scaled(width).max(1), scaled(height).max(1)))
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::fitting;

    #[wasm_bindgen_test]
    fn sides_keep_their_proportion() {
        assert_eq!(fitting(100, 50, 100), None);
        assert_eq!(fitting(3_136, 1_000, 1_568), Some((1_568, 500)));
        assert_eq!(fitting(1, 40_000, 1_568), Some((1, 1_568)));
        assert_eq!(fitting(0, 0, 1_568), None);
    }
}
